-- name: insert_wait
-- A blocking call of a branch waits for a task, for the person, or for what its targets say.
INSERT OR REPLACE INTO wait (call_id, branch_id, turn_id, task_id, ask_id, kind, by_mail, since_pos)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: insert_wait_targets
-- What a wait is for, one row each, from a JSON list of [task, message, branch].
INSERT INTO wait_target (call_id, task_id, message_id, branch_id)
SELECT ?, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(?)

-- name: wait_of_call
-- What a blocking call waits for.
SELECT {wait} FROM wait WHERE call_id = ?

-- name: waits_of_branch
-- What the blocking calls of a branch wait for.
SELECT {wait} FROM wait WHERE branch_id = ? ORDER BY call_id

-- name: began_to_wait
-- When a call has first begun to wait, also in a process before this one.
SELECT min(ts_us) FROM event WHERE turn_id = ? AND kind = 'call.waiting' AND json_extract(payload, '$.call') = ?

-- name: targets_of_wait
-- The tasks, messages and agents that one wait is for, as they were given.
SELECT task_id, message_id, branch_id FROM wait_target WHERE call_id = ? ORDER BY rowid

-- name: delete_wait
-- One wait is over.
DELETE FROM wait WHERE call_id = ?

-- name: delete_wait_targets
-- What it was for, with it.
DELETE FROM wait_target WHERE call_id = ?

-- name: delete_waits_of_branch
-- The turn is over, and every wait in it.
DELETE FROM wait WHERE branch_id = ?

-- name: delete_wait_targets_of_branch
-- What they were for, with them.
DELETE FROM wait_target WHERE call_id IN (SELECT call_id FROM wait WHERE branch_id = ?)

-- name: waiters_of_task
-- The branches that wait for a task.
SELECT branch_id, turn_id FROM wait WHERE task_id = ?
UNION
SELECT w.branch_id, w.turn_id FROM wait_target g JOIN wait w ON w.call_id = g.call_id WHERE g.task_id = ?

-- name: waiters_of_message
-- The turns in which somebody waits for what becomes of a message.
SELECT w.turn_id FROM wait_target g JOIN wait w ON w.call_id = g.call_id WHERE g.message_id = ?

-- name: waiting_for_agent
-- The turns in which somebody waits for this branch, for a task that it was given, for what lies unread in its
-- mailbox, or, having given it a task that has not ended, for whatever comes first.
SELECT w.turn_id FROM task t JOIN wait w ON w.task_id = t.id WHERE t.target_branch_id = ?
UNION
SELECT w.turn_id FROM task t JOIN wait_target g ON g.task_id = t.id JOIN wait w ON w.call_id = g.call_id
WHERE t.target_branch_id = ?
UNION
SELECT w.turn_id FROM wait_target g JOIN wait w ON w.call_id = g.call_id WHERE g.branch_id = ?
UNION
SELECT w.turn_id FROM delivery d JOIN wait_target g ON g.message_id = d.message_id JOIN wait w ON w.call_id = g.call_id
WHERE d.recipient_branch_id = ? AND d.state = 'accepted'
UNION
SELECT w.turn_id FROM task t JOIN wait w ON w.branch_id = t.dispatcher_branch_id
WHERE t.target_branch_id = ? AND t.state IN ('pending', 'queued', 'running') AND w.kind = 'first'
