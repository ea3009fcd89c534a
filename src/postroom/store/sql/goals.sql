-- name: open_goal
-- The goal that a root agent works on, active or paused.
SELECT id, public_id, branch_id, text, items, state, reminders, message_id FROM goal
WHERE branch_id = ? AND state IN ('active', 'paused')
