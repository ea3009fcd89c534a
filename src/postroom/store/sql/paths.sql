-- name: steps_to_head
-- The nodes of a conversation, newest first, without their texts; each with its turn and its message.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.predecessor_id IS NOT NULL
)
SELECT n.id, n.role, n.turn_id, n.round,
    CASE n.role WHEN 'assistant' THEN json_array_length(n.parts, '$.calls')
        WHEN 'tool' THEN (SELECT count(*) FROM call c WHERE c.turn_id = n.turn_id AND c.round = n.round)
        ELSE 0 END,
    coalesce(t.public_id, ''), coalesce(m.public_id, ''),
    n.role = 'user' AND n.provenance <> 'user' AND (m.id IS NULL OR m.bus_id IS NOT NULL)
FROM path JOIN node n ON n.id = path.id LEFT JOIN turn t ON t.id = n.turn_id LEFT JOIN message m ON m.id = n.message_id

-- name: nodes_behind
-- The part of a conversation behind a node, newest first, with the bodies that its mail nodes name.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id
    WHERE n.predecessor_id IS NOT NULL AND n.predecessor_id <> ?
)
SELECT {node} FROM path JOIN node n ON n.id = path.id LEFT JOIN message m ON m.id = n.message_id

-- name: branch_public_id
-- The public id of a branch.
SELECT public_id FROM branch WHERE id = ?

-- name: sealed_branches
-- The paths that reverts of a session's agents have left, oldest first.
SELECT id, public_id, head_node_id, sealed_from_branch_id, sealed_us FROM branch
WHERE session_id = ? AND sealed_us IS NOT NULL ORDER BY id

-- name: insert_sealed_branch
-- The path that a revert leaves, as long as it was.
INSERT INTO branch (public_id, session_id, name, profile, head_node_id, context_chars, sealed_us,
    sealed_from_branch_id, created_us)
VALUES (?, ?, 'sealed', ?, ?, ?, ?, ?, ?)

-- name: set_head
-- A revert moves the head back; the context is as short as it was then.
UPDATE branch SET head_node_id = ?, context_chars = ? WHERE id = ?

-- name: set_reverted
-- It was read, in a part of the conversation that a revert has left.
UPDATE delivery SET reverted = 1 WHERE id = ?

-- name: numbers_shown
-- How far the numbers go that an agent's mailbox has given; of a path that a revert left, those of its agent.
SELECT max(b.mailbox_seq, coalesce(o.mailbox_seq, 0))
FROM branch b LEFT JOIN branch o ON o.id = b.sealed_from_branch_id WHERE b.id = ?

-- name: begin_numbers
-- A mailbox gives its first number behind those that stand in its agent's conversation already.
UPDATE branch SET mailbox_seq = ? WHERE id = ?

-- name: set_fork
-- A session that begins at a node of another one.
UPDATE session SET forked_from_node_id = ? WHERE id = ?

-- name: forked_from
-- The session whose node a fork begins at.
SELECT o.public_id FROM session s JOIN node n ON n.id = s.forked_from_node_id JOIN session o ON o.id = n.session_id
WHERE s.id = ?

-- name: mail_at_nodes
-- The mail of one agent that stands at some nodes of its conversation; the second argument is a JSON list of keys.
SELECT d.id, d.state, m.public_id FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.recipient_branch_id = ? AND d.node_id IN (SELECT value FROM json_each(?)) ORDER BY d.id

-- name: open_tasks_of_turns
-- The open tasks that an agent has given in some turns, with the round of each; the first argument is a JSON
-- list of turn keys.
SELECT k.id, c.turn_id, c.round, k.description, {label}, s.public_id, k.state
FROM call c JOIN task k ON k.id = c.message_id JOIN branch b ON b.id = k.target_branch_id
    JOIN session s ON s.id = b.session_id
WHERE c.turn_id IN (SELECT value FROM json_each(?)) AND k.dispatcher_branch_id = ?
    AND k.state IN ('pending', 'queued', 'running')
ORDER BY k.id

-- name: agents_made_by
-- The agents that one has made, with the turn and round of the call that made each.
SELECT c.turn_id, c.round, {label}, s.public_id
FROM branch b JOIN call c ON c.id = b.made_by_call_id JOIN session s ON s.id = b.session_id
WHERE b.parent_branch_id = ? ORDER BY b.id

-- name: open_work_of_branch
-- What is being worked on for one agent, with the turn and round of the call that began it.
SELECT c.turn_id, c.round, p.label FROM producer p JOIN call c ON c.id = p.call_id
WHERE p.branch_id = ? AND p.state = 'open' ORDER BY p.id
