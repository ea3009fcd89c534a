-- name: insert_goal
-- An agent is given a goal; it has no list yet.
INSERT INTO goal (public_id, branch_id, text, state, created_us) VALUES (?, ?, ?, 'active', ?)

-- name: open_goal
-- The goal that a root agent works on, active or paused.
SELECT {goal} FROM goal
WHERE branch_id = ? AND state IN ('active', 'paused')

-- name: newest_goal
-- The goal that an agent was given last, however it stands.
SELECT {goal} FROM goal
WHERE branch_id = ? ORDER BY id DESC LIMIT 1

-- name: goal_of_tree
-- The open goal of the agent at the root of a tree.
SELECT {goal} FROM goal
WHERE branch_id = (SELECT active_branch_id FROM session WHERE id = ?) AND state IN ('active', 'paused')

-- name: set_goal_items
-- The list is another one: nobody was reminded of it yet.
UPDATE goal SET items = ?, reminders = 0 WHERE id = ?

-- name: set_goal_reminder
-- One more reminder since the list last changed.
UPDATE goal SET message_id = ?, reminders = ? WHERE id = ?

-- name: set_goal_state
-- The goal moves on; its end has a time. What is made active anew was not reminded of yet.
UPDATE goal SET state = ?, reminders = CASE WHEN ? = 'active' THEN 0 ELSE reminders END, ended_us = ?
WHERE id = ?

-- name: others_at_work
-- Whether any other agent of a tree has a turn.
SELECT 1 FROM session s JOIN branch b ON b.session_id = s.id
WHERE s.root_id = ? AND b.turn_id IS NOT NULL AND b.id <> ? LIMIT 1

-- name: child_task_open
-- Whether a task that an agent has given to one of its children is open.
SELECT 1 FROM branch b JOIN task t ON t.target_branch_id = b.id
WHERE b.parent_branch_id = ? AND t.state IN ('pending', 'queued', 'running') LIMIT 1

-- name: last_work_of_branch
-- How the newest turn of a branch that did not end for want of something to read has gone, and in which chain.
SELECT state, chain_id, messages, generations FROM turn
WHERE branch_id = ? AND end_reason <> 'nothing_to_read' ORDER BY id DESC LIMIT 1
