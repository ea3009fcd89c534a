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

-- name: timed_messages
-- Some messages as a list shows them, the newest first, each with the task that it gives; the argument is a JSON
-- list of keys.
SELECT {timed} FROM json_each(?) j JOIN message m ON m.id = j.value LEFT JOIN task k ON k.id = m.id
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
