-- name: messages_before
-- Every message of the store before a key, the newest first.
SELECT id FROM message WHERE id < ? ORDER BY id DESC LIMIT ?

-- name: messages_from
-- What one agent wrote before a message, the newest first.
SELECT id FROM message WHERE sender_branch_id = ? AND id < ? ORDER BY id DESC LIMIT ?

-- name: messages_to
-- What one agent was sent before a message, the newest first.
SELECT message_id FROM delivery WHERE recipient_branch_id = ? AND message_id < ? ORDER BY message_id DESC LIMIT ?

-- name: mail_heads_of_tree
-- Of each agent of one tree the newest message before a key that it wrote, and that it was sent.
SELECT b.id, (SELECT max(m.id) FROM message m WHERE m.sender_branch_id = b.id AND m.id < ?),
    (SELECT max(d.message_id) FROM delivery d WHERE d.recipient_branch_id = b.id AND d.message_id < ?)
FROM session s JOIN branch b ON b.session_id = s.id WHERE s.root_id = ?

-- name: posts_for_entry
-- What the person has said on the bus of an agent's turn and the agent has not taken yet, the newest first.
SELECT m.id FROM branch b JOIN turn t ON t.id = b.turn_id JOIN reader r ON r.bus_id = t.bus_id AND r.branch_id = b.id
    JOIN message m ON m.bus_id = r.bus_id AND m.bus_seq > r.cursor_seq
WHERE b.id = ? AND r.entry = 1 AND m.kind = 'user' AND m.id < ? ORDER BY m.id DESC LIMIT ?

-- name: entries_of_tree
-- The agents of one tree that read a bus for the person now.
SELECT b.id FROM session s JOIN branch b ON b.session_id = s.id JOIN turn t ON t.id = b.turn_id
    JOIN reader r ON r.bus_id = t.bus_id AND r.branch_id = b.id
WHERE s.root_id = ? AND r.entry = 1

-- name: timed_messages
-- Some messages as a list shows them, the newest first, each with the task that it gives; the argument is a JSON
-- list of keys.
SELECT m.id, m.public_id, m.kind, m.mode, substr(m.body, 1, 400), length(CAST(m.body AS BLOB)), m.sender_branch_id,
    m.sender_address, coalesce(t.public_id, ''), coalesce(o.public_id, ''), m.chain_id, m.created_us, m.selector,
    m.bus_id IS NOT NULL, u.closed_us IS NOT NULL, coalesce(k.public_id, ''), coalesce(k.state, ''),
    coalesce(k.outcome, ''), m.facts
FROM json_each(?) j JOIN message m ON m.id = j.value LEFT JOIN task k ON k.id = m.id
    LEFT JOIN turn t ON t.id = m.sender_turn_id LEFT JOIN message o ON o.id = m.reply_to_message_id
    LEFT JOIN bus u ON u.id = m.bus_id
ORDER BY m.id DESC

-- name: timed_deliveries
-- How some messages stand with each of their recipients, and since when; the argument is a JSON list of keys.
SELECT d.message_id, d.recipient_branch_id, d.mode, d.state, d.seq, d.reason, d.recipient_state, d.accepted_us,
    n.created_us, d.ended_us, coalesce(t.public_id, ''), d.round, d.attempts, d.parked, d.reverted, d.expires_us
FROM json_each(?) j JOIN delivery d ON d.message_id = j.value LEFT JOIN turn t ON t.id = d.turn_id
    LEFT JOIN node n ON n.id = d.node_id
ORDER BY d.id

-- name: body_of_message
-- The whole text of a message.
SELECT body FROM message WHERE id = ?
