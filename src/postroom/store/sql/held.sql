-- name: insert_held
-- The message as it stands with its sender, who may not send it yet.
INSERT INTO delivery (message_id, recipient_branch_id, sender_branch_id, kind, mode, state, seq, reason,
    recipient_state, accepted_us, expires_us)
VALUES (?, ?, ?, ?, ?, 'held', 0, ?, ?, ?, ?)

-- name: admit
-- Where a held message stands in its recipient's mailbox from now on; its state moves with `set_delivery`.
UPDATE delivery SET seq = ?, recipient_state = ?, accepted_us = ?, rounds_at = ? WHERE id = ?

-- name: held_of_pair
-- What one agent may not send yet to another, oldest first.
SELECT {held} FROM delivery d JOIN message m ON m.id = d.message_id
    JOIN branch b ON b.id = d.sender_branch_id JOIN call c ON c.id = m.call_id
WHERE d.sender_branch_id = ? AND d.recipient_branch_id = ? AND d.state = 'held'
ORDER BY d.id

-- name: first_held
-- The oldest of them.
SELECT {held} FROM delivery d JOIN message m ON m.id = d.message_id
    JOIN branch b ON b.id = d.sender_branch_id JOIN call c ON c.id = m.call_id
WHERE d.sender_branch_id = ? AND d.recipient_branch_id = ? AND d.state = 'held'
ORDER BY d.id LIMIT 1

-- name: held_pairs
-- To whom one agent may not send something yet.
SELECT DISTINCT recipient_branch_id FROM delivery WHERE sender_branch_id = ? AND state = 'held'
ORDER BY recipient_branch_id

-- name: holders_for
-- Who may not send something yet to one agent, the one that has waited longest first.
SELECT sender_branch_id FROM delivery WHERE recipient_branch_id = ? AND state = 'held'
GROUP BY sender_branch_id ORDER BY min(id)

-- name: holding_branches
-- Every agent that may not send something yet.
SELECT DISTINCT sender_branch_id FROM delivery WHERE state = 'held' ORDER BY sender_branch_id

-- name: trees_of_makers
-- The trees in which those live that made an agent, and those that made them, except one.
WITH RECURSIVE maker (id) AS (
    SELECT parent_branch_id FROM branch WHERE id = ?
    UNION
    SELECT b.parent_branch_id FROM maker m JOIN branch b ON b.id = m.id
)
SELECT DISTINCT s.root_id, s.policy_id FROM maker m JOIN branch b ON b.id = m.id JOIN session s ON s.id = b.session_id
WHERE s.root_id <> ?

-- name: maker_call
-- The call that made an agent.
SELECT made_by_call_id FROM branch WHERE id = ?

-- name: held_copy
-- A copy of a text that one agent may not send yet to another, if it is young enough.
SELECT 1 FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.sender_branch_id = ? AND d.recipient_branch_id = ? AND d.state = 'held' AND d.accepted_us > ? AND m.body = ?
LIMIT 1

-- name: held_of_message
-- A message to one agent that lies with its sender, if it still does.
SELECT {held} FROM delivery d JOIN message m ON m.id = d.message_id
    JOIN branch b ON b.id = d.sender_branch_id JOIN call c ON c.id = m.call_id
WHERE d.message_id = ? AND d.recipient_branch_id = ? AND d.state = 'held'
