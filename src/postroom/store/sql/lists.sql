-- name: branch_by_public_id
-- An agent by the id of its branch, in any session.
SELECT id FROM branch WHERE public_id = ? AND sealed_us IS NULL

-- name: branch_of_task
-- The agent that a task was given to, by the id of the task.
SELECT target_branch_id FROM task WHERE public_id = ?
