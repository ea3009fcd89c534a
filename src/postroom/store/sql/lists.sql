-- name: branch_by_public_id
-- An agent by the id of its branch, in any session.
SELECT b.id FROM branch b JOIN session s ON s.id = b.session_id
WHERE b.public_id = ? AND b.sealed_us IS NULL AND s.deleted_us IS NULL

-- name: branch_of_task
-- The agent that a task was given to, by the id of the task.
SELECT k.target_branch_id FROM task k JOIN branch b ON b.id = k.target_branch_id JOIN session s ON s.id = b.session_id
WHERE k.public_id = ? AND s.deleted_us IS NULL

-- name: live_branches
-- The agents of one session that take messages, with how they stand and how much was said; no merged ones.
SELECT {listed} FROM branch b LEFT JOIN node n ON n.id = b.head_node_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.session_id = ? AND b.sealed_us IS NULL AND b.archived_us IS NULL
    AND (b.merged_head_node_id IS NULL OR b.merged_head_node_id <> b.head_node_id)
ORDER BY b.id

-- name: retired_branches
-- The agents of one session that were archived, or that are merged where they stand.
SELECT {listed} FROM branch b LEFT JOIN node n ON n.id = b.head_node_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.session_id = ? AND b.sealed_us IS NULL
    AND (b.archived_us IS NOT NULL OR b.merged_head_node_id = b.head_node_id)
ORDER BY b.id

-- name: all_branches
-- All agents of one session.
SELECT {listed} FROM branch b LEFT JOIN node n ON n.id = b.head_node_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.session_id = ? AND b.sealed_us IS NULL ORDER BY b.id

-- name: listed_session
-- One session as a list shows it.
SELECT {listed_session} FROM session s JOIN branch b ON b.id = s.active_branch_id WHERE s.id = ?

-- name: sessions_before
-- Sessions that were last active before a time and a key, the newest first.
SELECT {listed_session} FROM session s JOIN branch b ON b.id = s.active_branch_id
WHERE s.deleted_us IS NULL AND (s.last_active_us, s.id) < (?, ?)
ORDER BY s.last_active_us DESC, s.id DESC LIMIT ?

-- name: readable_branch
-- A branch of one session by its id, also a path that a revert has left.
SELECT id FROM branch WHERE public_id = ? AND session_id = ?

-- name: said_at
-- How much was said on the path up to a node, and by which session the node was written.
SELECT said, session_id FROM node WHERE id = ?

-- name: said_between
-- The nodes of a path that say something, from one number to another; the walk ends at the first of them.
WITH RECURSIVE path (id, said) AS (
    SELECT n.id, n.said FROM node n WHERE n.id = ?
    UNION ALL
    SELECT n.id, n.said FROM path p JOIN node o ON o.id = p.id JOIN node n ON n.id = o.predecessor_id WHERE n.said >= ?
)
SELECT n.id, path.said FROM path JOIN node n ON n.id = path.id
WHERE path.said <= ? AND n.role IN ('user', 'assistant', 'summary') ORDER BY path.said

-- name: nodes_by_key
-- Some items of conversations with the bodies that they name; the argument is a JSON list of keys.
SELECT {node} FROM json_each(?) j JOIN node n ON n.id = j.value LEFT JOIN message m ON m.id = n.message_id
ORDER BY j.key

-- name: result_of_task
-- What came of a task, and of whose agent it was asked.
SELECT t.state, t.outcome, t.cause, t.result, t.dispatcher_branch_id, t.target_branch_id FROM task t WHERE t.public_id = ?

-- name: letter_by_id
-- A message with who wrote it and who was sent it.
SELECT m.body, m.sender_branch_id, d.recipient_branch_id, d.node_id FROM message m JOIN delivery d ON d.message_id = m.id
WHERE m.public_id = ? LIMIT 1

-- name: tasks_of_session
-- The tasks that the agents of one session have handed out, newest first.
SELECT {told_task} FROM branch g JOIN task t ON t.dispatcher_branch_id = g.id JOIN message m ON m.id = t.id
WHERE g.session_id = ? ORDER BY t.id DESC LIMIT ?

-- name: tasks_of_branch
-- The tasks that one agent has handed out or was given, newest first.
SELECT {told_task} FROM task t JOIN message m ON m.id = t.id
WHERE t.dispatcher_branch_id = ? OR t.target_branch_id = ? ORDER BY t.id DESC LIMIT ?

-- name: tasks_before
-- The tasks of the store before a key, newest first.
SELECT {told_task} FROM task t JOIN message m ON m.id = t.id WHERE t.id < ? ORDER BY t.id DESC LIMIT ?

-- name: address_of_branch
-- How an agent is shown to the person, and what means it when it is typed.
SELECT {label}, {address} FROM branch b JOIN session s ON s.id = b.session_id WHERE b.id = ?

-- name: lineup_of_tree
-- The agents of one tree that take messages, behind a place in the order of activity, the newest first.
SELECT {lineup} FROM session s JOIN branch b ON b.session_id = s.id LEFT JOIN turn t ON t.id = b.turn_id
    LEFT JOIN task k ON k.id = t.task_id
WHERE s.root_id = ? AND s.deleted_us IS NULL AND b.sealed_us IS NULL AND b.archived_us IS NULL
    AND (s.last_active_us, s.id, b.id) < (?, ?, ?)
ORDER BY s.last_active_us DESC, s.id DESC, b.id DESC LIMIT ?

-- name: lineup_in_place
-- The same for the sessions of one directory.
SELECT {lineup} FROM session s JOIN branch b ON b.session_id = s.id LEFT JOIN turn t ON t.id = b.turn_id
    LEFT JOIN task k ON k.id = t.task_id
WHERE s.place = ? AND s.deleted_us IS NULL AND b.sealed_us IS NULL AND b.archived_us IS NULL
    AND (s.last_active_us, s.id, b.id) < (?, ?, ?)
ORDER BY s.last_active_us DESC, s.id DESC, b.id DESC LIMIT ?
