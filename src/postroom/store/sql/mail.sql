-- name: sender_of_call
-- The executing turn behind a call, with all that accept decides on, in one read.
SELECT c.state, c.message_id, t.state, t.fence, t.id, t.chain_id, t.messages, t.generations,
    t.lineage_task_id, b.id, b.parent_branch_id, CASE t.profile WHEN '' THEN b.profile ELSE t.profile END,
    s.id, s.root_id, s.public_id, s.handle, s.policy_id, s.depth, s.team,
    CASE b.cwd WHEN '' THEN s.cwd ELSE b.cwd END, r.mode, r.overlay,
    b.public_id, CASE t.limits WHEN '' THEN b.limits ELSE t.limits END, t.fan_out,
    s.active_branch_id = b.id, {chain}
FROM call c JOIN turn t ON t.id = c.turn_id JOIN branch b ON b.id = t.branch_id
    JOIN session s ON s.id = b.session_id JOIN chain h ON h.id = t.chain_id
    JOIN session r ON r.id = s.root_id
WHERE c.id = ?

-- name: recipient_by_handle
-- A peer of one tree by its exact handle, with its counters and the window of the pair.
SELECT {recipient} FROM session s JOIN branch b ON b.id = s.active_branch_id
    LEFT JOIN turn t ON t.id = b.turn_id
    LEFT JOIN pair p ON p.sender_branch_id = ? AND p.recipient_branch_id = b.id
WHERE s.root_id = ? AND s.handle = ? AND s.deleted_us IS NULL

-- name: recipient_by_public_id
-- The active branch of the session with this public id, wherever it is.
SELECT {recipient} FROM session s JOIN branch b ON b.id = s.active_branch_id
    LEFT JOIN turn t ON t.id = b.turn_id
    LEFT JOIN pair p ON p.sender_branch_id = ? AND p.recipient_branch_id = b.id
WHERE s.public_id = ? AND s.deleted_us IS NULL

-- name: recipient_by_branch
-- The same facts of one branch by its key.
SELECT {recipient} FROM branch b JOIN session s ON s.id = b.session_id
    LEFT JOIN turn t ON t.id = b.turn_id
    LEFT JOIN pair p ON p.sender_branch_id = ? AND p.recipient_branch_id = b.id
WHERE b.id = ?

-- name: peers_of_tree
-- Every agent of one tree but the asker, for the candidate list of an unknown handle.
SELECT s.handle, s.title, s.public_id, b.id, b.parent_branch_id, coalesce(t.state, b.last_turn_state)
FROM session s JOIN branch b ON b.id = s.active_branch_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.root_id = ? AND b.id <> ? AND s.deleted_us IS NULL AND b.archived_us IS NULL
ORDER BY s.handle, s.public_id

-- name: insert_message
-- What a sender wrote; immutable from here on.
INSERT INTO message (public_id, kind, mode, body, facts, sender_branch_id, sender_address, sender_turn_id,
    call_id, client_id, task_id, reply_to_message_id, chain_id, messages, generations, created_us, owes, profile)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert_delivery
-- The message as it stands with its recipient.
INSERT INTO delivery (message_id, recipient_branch_id, sender_branch_id, kind, mode, state, seq,
    recipient_state, accepted_us, rounds_at, expires_us)
VALUES (?, ?, ?, ?, ?, 'accepted', ?, ?, ?, ?, ?)

-- name: count_accepted
-- One more in the mailbox, with its place in the order of acceptance.
UPDATE branch SET mailbox_seq = ?, n_steer = n_steer + ?, n_queue = n_queue + ?,
    n_notice = n_notice + ?, n_cap = n_cap + ?
WHERE id = ?

-- name: add_to_pair
-- The window of a directed pair moves by one, or what is held of it does.
INSERT INTO pair (sender_branch_id, recipient_branch_id, unacked, held) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET unacked = unacked + excluded.unacked, held = held + excluded.held

-- name: message_of_client
-- The message that a client's own id names, for idempotent prompts and sends.
SELECT {sent} FROM message m JOIN delivery d ON d.message_id = m.id
WHERE m.client_id = ?

-- name: message_of_call
-- The message that a call sent, for the retry of the same call; a row for each recipient.
SELECT {sent} FROM message m JOIN delivery d ON d.message_id = m.id
WHERE m.id = ? ORDER BY d.id

-- name: accepted
-- The unread mail of one branch, in acceptance order, as much as one boundary looks at.
SELECT {mail} FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.recipient_branch_id = ? AND d.state = 'accepted'
ORDER BY d.seq LIMIT ?

-- name: claimed
-- What one turn has in its context and has not been answered yet. The texts are in the conversation already.
SELECT d.id, d.message_id, d.recipient_branch_id, d.sender_branch_id, d.kind, d.mode, d.state, d.seq,
    m.chain_id, m.messages, m.generations, d.attempts, d.parked, m.owes, d.turn_id, d.node_id
FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.turn_id = ? AND d.state = 'claimed'
ORDER BY d.seq

-- name: deliveries_of_message
-- How one message stands with its recipients.
SELECT {mail} FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.message_id = ?

-- name: mail_numbered
-- What stands at a place of a mailbox.
SELECT {mail} FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.recipient_branch_id = ? AND d.seq = ? AND d.seq <> 0

-- name: inherited_mail
-- What stood at a place of another's mailbox and stands in an agent's conversation, which began with that of the other.
WITH RECURSIVE path (id) AS (
    SELECT head_node_id FROM branch WHERE id = ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.predecessor_id IS NOT NULL
)
SELECT {mail} FROM path p JOIN delivery d ON d.node_id = p.id JOIN message m ON m.id = d.message_id
WHERE d.seq = ? AND d.seq <> 0 LIMIT 1

-- name: number_of
-- The place that a message has in a mailbox; what is held has none.
SELECT seq FROM delivery WHERE message_id = ? AND recipient_branch_id = ?

-- name: due_mail
-- What has gone out of date and nobody has begun to read, also while it is held.
SELECT {mail} FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.expires_us IS NOT NULL AND d.state IN ('held', 'accepted') AND d.expires_us <= ? AND d.node_id IS NULL
ORDER BY d.expires_us, d.id

-- name: next_due_mail
-- When the next message goes out of date that nobody has begun to read.
SELECT expires_us FROM delivery
WHERE expires_us IS NOT NULL AND state IN ('held', 'accepted') AND node_id IS NULL
ORDER BY expires_us LIMIT 1

-- name: set_delivery
-- The new state of one delivery; only `Tx.move` runs this.
UPDATE delivery SET state = ?, parked = ?, attempts = ?, turn_id = ?, node_id = ?, round = ?, reason = ?,
    ended_us = ?
WHERE id = ?

-- name: set_delivery_node
-- Where a delivery that a blocking call returned stands in the conversation.
UPDATE delivery SET node_id = ? WHERE id = ?

-- name: add_counts
-- The counters of a mailbox move with a delivery; only `Tx.move` runs this.
UPDATE branch SET n_steer = n_steer + ?, n_queue = n_queue + ?, n_notice = n_notice + ?,
    n_parked = n_parked + ?, n_cap = n_cap + ?
WHERE id = ?

-- name: insert_chain
-- A chain is born with a person's text.
INSERT INTO chain (turns_max, messages_max, generations_max, fan_out_max, tokens_max, cost_micros_max)
VALUES (?, ?, ?, ?, ?, ?)

-- name: chain_of
-- What a chain has spent and may spend.
SELECT {chain} FROM chain h WHERE id = ?

-- name: charge_chain
-- Turns, tokens and money of a turn go to its chain.
UPDATE chain SET turns = turns + ?, tokens = tokens + ?, cost_micros = cost_micros + ? WHERE id = ?

-- name: message_by_public_id
-- One message by the id its sender got.
SELECT m.id, m.public_id, m.kind, m.mode, m.body, m.sender_branch_id, m.chain_id, m.created_us
FROM message m WHERE m.public_id = ?

-- name: reason_of
-- Why a delivery was discarded.
SELECT reason FROM delivery WHERE id = ?
