-- name: insert_turn
-- A turn is created waiting for a slot.
INSERT INTO turn (public_id, branch_id, session_id, root_id, trigger, state, chain_id, task_id, messages,
    generations, rounds_max, opened_us)
VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?, ?)

-- name: occupy_branch
-- The branch has a turn: waiting, running or suspended.
UPDATE branch SET turn_id = ? WHERE id = ?

-- name: touch_session
-- Something goes on in a session: a turn of one of its agents opens or ends.
UPDATE session SET last_active_us = ? WHERE id = ?

-- name: free_branch
-- The turn is over; whoever still holds its fence can write nothing more.
UPDATE branch SET turn_id = NULL, last_turn_state = ?, turns = turns + ? WHERE id = ?

-- name: begin_turn
-- A waiting turn starts: its fence, what it took and what its tools are, are fixed here.
UPDATE turn SET state = 'running', fence = ?, chain_id = ?, task_id = ?, messages = ?, generations = ?,
    rounds_max = ?, tools = ?, answers_message_id = ?, lineage_task_id = ?, profile = ?, limits = ?
WHERE id = ?

-- name: turn_state
-- The state and fence of a turn, to decide whether its holder may still write.
SELECT state, fence FROM turn WHERE id = ?

-- name: turn_row
-- A turn with the facts of its branch and session.
SELECT {turn} FROM turn t JOIN branch b ON b.id = t.branch_id JOIN session s ON s.id = t.session_id
WHERE t.id = ?

-- name: turn_by_public_id
-- One turn by its public id.
SELECT {turn} FROM turn t JOIN branch b ON b.id = t.branch_id JOIN session s ON s.id = t.session_id
WHERE t.public_id = ?

-- name: last_turn_of_branch
-- The newest turn of a branch, for a resume that goes on from it.
SELECT {turn} FROM turn t JOIN branch b ON b.id = t.branch_id JOIN session s ON s.id = t.session_id
WHERE t.branch_id = ?
ORDER BY t.id DESC LIMIT 1

-- name: last_begun_turn
-- The newest turn of a branch that has started: what ends unstarted has had its fence raised once, not twice.
SELECT {turn} FROM turn t JOIN branch b ON b.id = t.branch_id JOIN session s ON s.id = t.session_id
WHERE t.branch_id = ? AND (t.fence > 1 OR t.state IN ('running', 'suspended'))
ORDER BY t.id DESC LIMIT 1

-- name: set_turn_state
-- Running and suspended, back and forth, while a blocking call waits.
UPDATE turn SET state = ? WHERE id = ?

-- name: refence_turn
-- A turn that only waits for the person goes on in another process.
UPDATE turn SET fence = ? WHERE id = ?

-- name: set_turn_depth
-- A steer of a deeper path joined: its numbers count from here on.
UPDATE turn SET messages = ?, generations = ? WHERE id = ?

-- name: set_turn_round
-- One more round is committed: that is progress, so the count of cuts begins anew.
UPDATE turn SET rounds = ?, resumes = 0 WHERE id = ?

-- name: cap_turn
-- Its cap on rounds is reached: only an answer without tools is left to it.
UPDATE turn SET is_last = 1 WHERE id = ?

-- name: carry_turn_on
-- A turn that was cut goes on in another process; its old holder can write nothing more.
UPDATE turn SET fence = ?, resumes = ? WHERE id = ?

-- name: count_review
-- Reviewers have let a call through for what the person asked for in the turn.
UPDATE turn SET reviews = ? WHERE id = ?

-- name: end_turn
-- The one way a turn ends.
UPDATE turn SET state = ?, end_reason = ?, fence = ?, ended_us = ? WHERE id = ?

-- name: busy_turns_of_tree
-- How many turns of a tree hold a slot or wait for one; a suspended turn does neither.
SELECT (SELECT count(*) FROM turn WHERE root_id = ? AND state = 'waiting')
    + (SELECT count(*) FROM turn WHERE root_id = ? AND state = 'running')

-- name: waiting_turns
-- Every turn that waits for a slot, oldest first: what a starting process picks up. The plus keeps SQLite
-- from walking through every turn there ever was in the order of ids.
SELECT t.id, t.branch_id, t.root_id FROM turn t WHERE t.state = 'waiting' ORDER BY +t.id

-- name: running_turns
-- Turns that a dead process left running.
SELECT id FROM turn WHERE state = 'running' ORDER BY id

-- name: suspended_turns
-- Turns that a dead process left waiting in a blocking call.
SELECT id FROM turn WHERE state = 'suspended' ORDER BY id

-- name: insert_node
-- One immutable item of a conversation, with how much was said on its path up to it.
INSERT INTO node (session_id, role, provenance, predecessor_id, message_id, turn_id, round, parts, created_us, said,
    caller_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ? + coalesce((SELECT p.said FROM node p WHERE p.id = ?), 0), ?)

-- name: caller_of_branch
-- The answer whose call made a branch.
SELECT caller_node_id FROM branch WHERE id = ?

-- name: head_of
-- The head node of a branch.
SELECT head_node_id FROM branch WHERE id = ?

-- name: head_node
-- What was said last on a branch: the role, and the turn and round that wrote it. Summaries say nothing new.
WITH RECURSIVE path (id) AS (
    SELECT head_node_id FROM branch WHERE id = ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.role = 'summary'
)
SELECT n.role, n.turn_id, n.round FROM path JOIN node n ON n.id = path.id WHERE n.role <> 'summary'

-- name: move_head
-- The branch's head follows what was appended; its length estimates the context, its answers are counted.
UPDATE branch SET head_node_id = ?, context_chars = context_chars + ?, rounds = rounds + ? WHERE id = ?

-- name: count_empty_answer
-- An answer that left nothing in the conversation is one that the branch has given all the same.
UPDATE branch SET rounds = rounds + 1 WHERE id = ?

-- name: path_to_head
-- The conversation of a branch, newest first, with the bodies that its mail nodes name. Only keys go through
-- the recursion: rows in it would be copied once more.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id
)
SELECT {node} FROM path JOIN node n ON n.id = path.id LEFT JOIN message m ON m.id = n.message_id

-- name: newest_texts
-- The newest texts of a conversation, newest first and no further back than asked for.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id
    LIMIT ?
)
SELECT {node} FROM path JOIN node n ON n.id = path.id LEFT JOIN message m ON m.id = n.message_id
WHERE n.role <> 'tool'

-- name: calls_of_turns
-- The calls and results of many turns at once; the argument is a JSON list of turn keys.
SELECT c.turn_id, c.round, c.position, c.tool, c.result, c.is_error, c.images, c.changed_by
FROM call c WHERE c.turn_id IN (SELECT value FROM json_each(?))
ORDER BY c.turn_id, c.round, c.position

-- name: insert_call
-- One tool call of a committed answer, open until its result is durable.
INSERT INTO call (turn_id, round, position, provider_call_id, tool, arguments, state)
VALUES (?, ?, ?, ?, ?, ?, 'open')

-- name: end_call
-- The one result of a call; a second one changes nothing, and what the call has caused stays its own.
UPDATE call SET state = 'ended', ended_by = ?, result = ?, is_error = ?, message_id = coalesce(?, message_id),
    result_delivery_id = ?, images = ?
WHERE id = ? AND state = 'open'

-- name: set_call_message
-- The message that a call caused, before its result is known: what makes its retry harmless.
UPDATE call SET message_id = ? WHERE id = ?

-- name: change_call
-- The arguments that hooks put in the place of the model's, and which hooks; the model's stay.
UPDATE call SET changed_arguments = ?, changed_by = ? WHERE id = ?

-- name: open_calls
-- The calls of a turn without a result. The plus keeps SQLite from walking through every call that the turn
-- ever made, in the order of their rounds.
SELECT id, turn_id, round, position, tool, arguments FROM call WHERE turn_id = ? AND state = 'open'
ORDER BY +round, position

-- name: calls_to_go_on
-- The open calls of a turn that goes on, with the arguments that a hook may have changed.
SELECT id, turn_id, round, position, tool, coalesce(changed_arguments, arguments), coalesce(changed_by, '')
FROM call WHERE turn_id = ? AND state = 'open' ORDER BY +round, position

-- name: calls_of_round
-- The calls of one round in call order.
SELECT id, position, tool, result, is_error, state, result_delivery_id, images, changed_by FROM call
WHERE turn_id = ? AND round = ? ORDER BY position

-- name: insert_task
-- A message whose answer is awaited; its key is the message's key.
INSERT INTO task (id, public_id, state, dispatcher_branch_id, dispatcher_turn_id, target_branch_id, parent_task_id,
    description, background, made_agent, archives)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: task_state
-- Where a task stands, to decide where it may go.
SELECT state FROM task WHERE id = ?

-- name: line_up_task
-- A turn is made for a task that lay in a mailbox.
UPDATE task SET state = 'queued' WHERE id = ?

-- name: start_task
-- The turn that runs a task has started.
UPDATE task SET state = 'running', turn_id = ? WHERE id = ?

-- name: end_task
-- The terminal state of a task.
UPDATE task SET state = ?, outcome = ?, cause = ?, result = ?, result_message_id = ?, ended_us = ? WHERE id = ?

-- name: task_row
-- One task.
SELECT {task} FROM task WHERE id = ?

-- name: newest_task_of
-- The newest task that a branch was given.
SELECT {task} FROM task WHERE target_branch_id = ? ORDER BY id DESC LIMIT 1

-- name: open_task_of
-- The open task of a branch, oldest first; one that is held lies with its sender, and is not there yet.
SELECT {task} FROM task WHERE target_branch_id = ? AND state IN ('pending', 'queued', 'running')
    AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message_id = task.id AND d.state = 'held')
ORDER BY id LIMIT 1

-- name: last_answer_of
-- The last answer in the newest turn of a branch that has ended, for its text.
SELECT n.parts FROM node n JOIN turn t ON t.id = n.turn_id
WHERE t.id = (SELECT max(t2.id) FROM turn t2
        WHERE t2.branch_id = ? AND t2.state NOT IN ('waiting', 'running', 'suspended'))
    AND n.role = 'assistant'
ORDER BY n.id DESC LIMIT 1
