-- name: archive_branch
-- An agent is retired, once and for ever.
UPDATE branch SET archived_us = ?, archived_reason = ? WHERE id = ? AND archived_us IS NULL

-- name: agents_to_retire
-- Agents whose task has ended, that were to be archived then and are not yet.
SELECT DISTINCT k.target_branch_id FROM task k JOIN branch b ON b.id = k.target_branch_id
WHERE k.archives = 1 AND k.state IN ('completed', 'errored', 'cancelled') AND b.archived_us IS NULL

-- name: merge_branch
-- What a branch says up to here has come back to where it was made from.
UPDATE branch SET merged_head_node_id = head_node_id WHERE id = ?

-- name: naming_of_branch
-- How a branch is called, by whom, and whether that may change.
SELECT name, name_source, name_locked, name_gen_count, turns, archived_us, head_node_id FROM branch WHERE id = ?

-- name: name_branch
-- A branch gets a name.
UPDATE branch SET name = ?, name_source = ?, name_locked = ?, name_gen_count = ? WHERE id = ?

-- name: title_session
-- A session gets another title, unless it was deleted meanwhile.
UPDATE session SET title = ? WHERE id = ? AND deleted_us IS NULL

-- name: timers_of_branch
-- The texts that wait for their time and for one agent.
SELECT {timer} FROM timer WHERE branch_id = ? AND state = 'set' ORDER BY id

-- name: busy_branches
-- How many branches of a session have a turn.
SELECT count(turn_id) FROM branch WHERE session_id = ?

-- name: unretired_branches
-- The agents of a session that nobody has archived.
SELECT id FROM branch WHERE session_id = ? AND archived_us IS NULL AND sealed_us IS NULL ORDER BY id

-- name: delete_session
-- The person deletes a session: its address reads as absent.
UPDATE session SET deleted_us = ?, title = '' WHERE id = ?

-- name: forks_of_session
-- The sessions that begin at a node of one session, each with that node and whether it has lost its texts.
SELECT f.id, f.forked_from_node_id, f.deleted_us IS NOT NULL OR f.pruned_us IS NOT NULL
FROM branch b JOIN turn t ON t.branch_id = b.id JOIN node n ON n.turn_id = t.id
    JOIN session f ON f.forked_from_node_id = n.id
WHERE b.session_id = ? AND n.session_id = b.session_id

-- name: origin_of_session
-- The session whose node a fork begins at, and whether it has lost its texts.
SELECT o.id, o.deleted_us IS NOT NULL OR o.pruned_us IS NOT NULL
FROM session s JOIN node n ON n.id = s.forked_from_node_id JOIN session o ON o.id = n.session_id
WHERE s.id = ?

-- name: blank_notices
-- What the person was told about a session loses its words.
UPDATE person_notice SET body = '' WHERE session_id = ? AND body <> ''

-- name: blank_reports
-- What nobody read on the buses of a session's turns is told no more.
UPDATE bus SET report = '[]' WHERE turn_id IN (
    SELECT t.id FROM branch b JOIN turn t ON t.branch_id = b.id WHERE b.session_id = ?)

-- name: blank_message
-- The text of a message goes; that it was sent stays.
UPDATE message SET body = '' WHERE id = ?

-- name: blank_node
-- The text of an answer or a summary goes; its place stays.
UPDATE node SET parts = ? WHERE id = ?

-- name: blank_calls
-- What the calls of a round said and gave goes; that they were made stays.
UPDATE call SET arguments = '{}', result = CASE WHEN result IS NULL THEN NULL ELSE '' END, images = NULL,
    changed_arguments = CASE WHEN changed_arguments IS NULL THEN NULL ELSE '{}' END
WHERE turn_id = ? AND round = ?

-- name: blank_asks
-- What the person was asked for the calls of a round, and what they answered, goes.
UPDATE ask SET text = '', options = '[]', answer = ''
WHERE call_id IN (SELECT id FROM call WHERE turn_id = ? AND round = ?)

-- name: blank_timers
-- The texts for later that an agent was sent go.
UPDATE timer SET body = '' WHERE branch_id IN (SELECT id FROM branch WHERE session_id = ?)

-- name: blank_tasks
-- What the agents of a session have given others to do, and what came back to them, goes.
UPDATE task SET description = '', result = ''
WHERE dispatcher_branch_id IN (SELECT id FROM branch WHERE session_id = ?)

-- name: blank_goals
-- The goals of an agent go.
UPDATE goal SET text = '', items = '[]' WHERE branch_id IN (SELECT id FROM branch WHERE session_id = ?)

-- name: blank_todos
-- The words on the board of a session go.
UPDATE todo SET subject = '', description = '' WHERE session_id = ?

-- name: forget_words
-- A text cannot be found any more; the index is told which words it held.
INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)

-- name: words_of_node
-- The text of a node as it was indexed.
SELECT CASE n.role
    WHEN 'assistant' THEN json_extract(n.parts, '$.text')
    WHEN 'tool' THEN (SELECT group_concat(c.result, char(10)) FROM call c WHERE c.turn_id = n.turn_id
        AND c.round = n.round AND c.message_id IS NULL AND c.result_delivery_id IS NULL)
    END
FROM node n WHERE n.id = ?
