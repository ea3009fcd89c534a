-- name: branch_of_public_id
-- The branch of one session with this public id; what a revert left is nobody.
SELECT id FROM branch WHERE public_id = ? AND session_id = ? AND sealed_us IS NULL

-- name: branches_named
-- The branches of one session that are called exactly so. Only the one that the session is of can be without a
-- given name, so nothing looks through all the agents of a session.
SELECT id FROM branch WHERE session_id = ? AND name = ? AND name_source <> '' AND sealed_us IS NULL
UNION ALL
SELECT b.id FROM session s JOIN branch b ON b.id = s.active_branch_id
WHERE s.id = ? AND b.name = ? AND b.name_source = '' AND b.sealed_us IS NULL
ORDER BY id LIMIT ?

-- name: branches_labelled
-- The branches of one session that were called exactly so when they were made, whatever they are called now.
SELECT id FROM branch WHERE session_id = ? AND label = ? AND label <> '' AND sealed_us IS NULL ORDER BY id LIMIT ?

-- name: branches_named_like
-- The branches of one session whose given names lie between two texts: those with a prefix.
SELECT id FROM branch WHERE session_id = ? AND name >= ? AND name < ? AND name_source <> '' AND sealed_us IS NULL
ORDER BY name, id LIMIT ?

-- name: branches_named_elsewhere
-- The branches of other sessions whose given names lie between two texts.
SELECT b.id FROM branch b JOIN session s ON s.id = b.session_id
WHERE b.name >= ? AND b.name < ? AND b.name_source <> '' AND b.session_id <> ? AND b.sealed_us IS NULL
    AND s.deleted_us IS NULL
ORDER BY b.name, b.id LIMIT ?

-- name: tips_of_session
-- Where the branches of one session stand.
SELECT id, head_node_id, merged_head_node_id FROM branch WHERE session_id = ? AND sealed_us IS NULL ORDER BY id

-- name: branches_through
-- The branches of one session whose conversations go through a node. Nodes are numbered in the order of time,
-- so a walk is over where it is older than the node.
WITH RECURSIVE path (branch, id) AS (
    SELECT b.id, b.head_node_id FROM branch b
    WHERE b.session_id = ? AND b.sealed_us IS NULL AND b.head_node_id >= ?
    UNION ALL
    SELECT p.branch, n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.predecessor_id >= ?
)
SELECT branch FROM path WHERE id = ?

-- name: party
-- An agent with what decides on whom it may reach and who may reach it.
SELECT b.id, b.parent_branch_id, s.root_id, s.public_id, CASE b.cwd WHEN '' THEN s.cwd ELSE b.cwd END,
    CASE b.cwd WHEN '' THEN s.place ELSE b.place END, s.origin = 'delegation'
FROM branch b JOIN session s ON s.id = b.session_id
WHERE b.id = ?

-- name: is_above
-- Whether an agent is among those that made another one, and those that made them.
WITH RECURSIVE maker (id) AS (
    SELECT parent_branch_id FROM branch WHERE id = ?
    UNION
    SELECT b.parent_branch_id FROM maker m JOIN branch b ON b.id = m.id
)
SELECT 1 FROM maker WHERE id = ?

-- name: sessions_named
-- The agents of one tree that are called exactly so, whatever session they are in.
SELECT b.id FROM branch b JOIN session s ON s.id = b.session_id
WHERE b.name = ? AND b.name_source <> '' AND s.root_id = ? AND b.sealed_us IS NULL AND s.deleted_us IS NULL
ORDER BY b.id LIMIT ?

-- name: waiting_copy
-- The newest unread copy of a text from one sender in a mailbox, if it is young enough.
SELECT m.public_id FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.recipient_branch_id = ? AND d.state = 'accepted' AND d.sender_branch_id = ? AND d.accepted_us > ?
    AND d.kind IN ('mail', 'task') AND m.body = ?
LIMIT 1

-- name: line_length
-- How much agent mail and how many tasks wait in a mailbox.
SELECT count(*) FROM delivery
WHERE recipient_branch_id = ? AND state = 'accepted' AND kind IN ('mail', 'task')

-- name: oldest_of_line
-- The oldest of them, with their texts.
SELECT {mail} FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.recipient_branch_id = ? AND d.state = 'accepted' AND d.kind IN ('mail', 'task')
ORDER BY d.seq LIMIT ?

-- name: sender_of_message
-- Who wrote a message: branch, turn, the task and the generations under which it was written.
SELECT m.sender_branch_id, m.sender_turn_id, m.task_id, t.generations, t.state
FROM message m LEFT JOIN turn t ON t.id = m.sender_turn_id
WHERE m.id = ?

-- name: terms_of_message
-- Under which task a message was written, as whom its recipient is to run, and whose end it tells.
SELECT m.task_id, m.profile, (SELECT t.parent_task_id FROM task t WHERE t.id = m.task_id)
FROM message m WHERE m.id = ?
