-- name: task_by_public_id
-- One task by the id that its dispatcher got.
SELECT {task} FROM task WHERE public_id = ?

-- name: tasks_under
-- A task and everything that grew out of it, ended or not; a loop among old rows ends the walk (O-18).
WITH RECURSIVE under (id) AS (
    SELECT ?
    UNION
    SELECT t.id FROM under JOIN task t ON t.parent_task_id = under.id
)
SELECT task.id, task.parent_task_id, task.target_branch_id, task.state FROM under JOIN task ON task.id = under.id

-- name: branches_above
-- A branch and everything above it: those who made it, and who made them.
WITH RECURSIVE above (id) AS (
    SELECT ?
    UNION
    SELECT b.parent_branch_id FROM above JOIN branch b ON b.id = above.id WHERE b.parent_branch_id IS NOT NULL
)
SELECT id FROM above

-- name: tasks_given_under
-- What a branch and everything below it have handed out, newest first; a task without a description is
-- known by its text.
WITH RECURSIVE under (id) AS (
    SELECT ?
    UNION
    SELECT b.id FROM under JOIN branch b ON b.parent_branch_id = under.id
)
SELECT t.public_id, t.state, t.outcome, t.cause, t.target_branch_id,
    CASE t.description WHEN '' THEN substr(m.body, 1, 400) ELSE t.description END
FROM under JOIN task t ON t.dispatcher_branch_id = under.id JOIN message m ON m.id = t.id
ORDER BY t.id DESC LIMIT ?

-- name: running_tasks
-- Tasks that are said to run: at a start of the process, what a dead one has left.
SELECT id, turn_id FROM task WHERE state = 'running' ORDER BY id

-- name: unread_results_of
-- The tasks that a branch has given and whose results lie unread in its mailbox, oldest first.
SELECT {task} FROM task WHERE id IN (
    SELECT m.task_id FROM delivery d JOIN message m ON m.id = d.message_id
    WHERE d.recipient_branch_id = ? AND d.state = 'accepted' AND d.kind = 'result')
AND dispatcher_branch_id = ? ORDER BY id

-- name: results_taken_in
-- The same of results that calls of a turn have returned, and no answer has read yet.
SELECT {task} FROM task WHERE id IN (
    SELECT m.task_id FROM delivery d JOIN message m ON m.id = d.message_id
    WHERE d.turn_id = ? AND d.state = 'claimed' AND d.kind = 'result' AND d.node_id IS NULL)
AND dispatcher_branch_id = ? ORDER BY id

-- name: open_tasks_given
-- The tasks that a branch has given and that have not ended, oldest first.
SELECT {task} FROM task WHERE dispatcher_branch_id = ? AND state IN ('pending', 'queued', 'running') ORDER BY id
