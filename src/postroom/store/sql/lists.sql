-- name: branch_by_public_id
-- An agent by the id of its branch, in any session.
SELECT b.id FROM branch b JOIN session s ON s.id = b.session_id
WHERE b.public_id = ? AND b.sealed_us IS NULL AND s.deleted_us IS NULL

-- name: branch_of_task
-- The agent that a task was given to, by the id of the task.
SELECT k.target_branch_id FROM task k JOIN branch b ON b.id = k.target_branch_id JOIN session s ON s.id = b.session_id
WHERE k.public_id = ? AND s.deleted_us IS NULL
