-- name: path_page
-- Some items of a conversation from one backwards, each behind another one, newest first. Texts of answers are cut.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.predecessor_id > ?
    LIMIT ?
)
SELECT n.id, n.role, n.provenance, CASE n.role WHEN 'assistant' THEN '' ELSE n.parts END,
    CASE n.role WHEN 'assistant' THEN substr(json_extract(n.parts, '$.text'), 1, ?) ELSE '' END,
    CASE n.role WHEN 'assistant' THEN length(json_extract(n.parts, '$.text')) ELSE 0 END,
    CASE n.role WHEN 'assistant' THEN coalesce(json_extract(n.parts, '$.model'), json_extract(n.parts, '$.provider')) ELSE '' END,
    n.turn_id, n.round, n.created_us, n.message_id, n.predecessor_id
FROM path JOIN node n ON n.id = path.id

-- name: node_step
-- What an item of a conversation follows, and whose turn it belongs to.
SELECT predecessor_id, turn_id FROM node WHERE id = ?

-- name: said_of_nodes
-- How much was said up to some items; the argument is a JSON list of keys.
SELECT n.id, n.said FROM json_each(?) j JOIN node n ON n.id = j.value

-- name: turns_told
-- Some turns as a transcript tells them; the argument is a JSON list of keys.
SELECT {told_turn} FROM json_each(?) j JOIN turn t ON t.id = j.value
LEFT JOIN task k ON k.id = t.task_id LEFT JOIN bus u ON u.turn_id = t.id ORDER BY t.id

-- name: turns_without_nodes
-- Turns of an agent between two others that ended without a word in its conversation, newest first.
SELECT {told_turn} FROM turn t LEFT JOIN task k ON k.id = t.task_id LEFT JOIN bus u ON u.turn_id = t.id
WHERE t.branch_id = ? AND t.id > ? AND t.id < ? AND t.ended_us IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM node n WHERE n.turn_id = t.id) ORDER BY t.id DESC LIMIT ?

-- name: turn_told
-- One turn as a transcript tells it, by the id that people are shown.
SELECT {told_turn} FROM turn t LEFT JOIN task k ON k.id = t.task_id LEFT JOIN bus u ON u.turn_id = t.id
WHERE t.public_id = ?

-- name: messages_told
-- Some messages with the beginnings of their texts, or what is left of one that was pruned; the second argument is
-- a JSON list of keys.
SELECT m.id, m.public_id, m.kind, m.mode, substr(m.body, 1, ?), length(m.body), m.sender_branch_id, m.sender_address,
    m.created_us, m.selector, m.facts, m.sender_turn_id, p.body_bytes, coalesce(p.body_sha256, '')
FROM json_each(?) j JOIN message m ON m.id = j.value LEFT JOIN pruned_body p ON p.message_id = m.id

-- name: deliveries_told
-- How some messages stand with each of their recipients; the argument is a JSON list of keys.
SELECT d.message_id, d.recipient_branch_id, d.state, d.parked, d.attempts, d.round, d.reason, d.node_id, d.reverted,
    coalesce(t.public_id, ''), d.id
FROM json_each(?) j JOIN delivery d ON d.message_id = j.value LEFT JOIN turn t ON t.id = d.turn_id ORDER BY d.id

-- name: calls_told
-- The calls of some rounds with the beginnings of their texts, in call order; the last argument is a JSON list of
-- pairs of a turn and a round.
SELECT {told_call}
FROM json_each(?) j JOIN call c ON c.turn_id = json_extract(j.value, '$[0]') AND c.round = json_extract(j.value, '$[1]')
ORDER BY c.turn_id, c.round, c.position

-- name: call_told
-- One call with its texts, by its place in a turn.
SELECT {told_call} FROM call c WHERE c.turn_id = ? AND c.round = ? AND c.position = ?

-- name: answer_written
-- When the answer of one round was committed.
SELECT created_us FROM node WHERE turn_id = ? AND round = ? AND role = 'assistant' ORDER BY id DESC LIMIT 1

-- name: answers_logged
-- What the log tells of some answers, their cost above all; the argument is a JSON list of nodes.
SELECT e.pos, e.session_id, e.seq, e.ts_us, e.kind, e.actor, e.turn_id, e.payload
FROM json_each(?) j JOIN event e ON json_extract(e.payload, '$.node') = j.value AND e.kind = 'answer.committed'

-- name: calls_logged
-- What the log tells of some calls, in its order; the argument is a JSON list of keys. The kinds are those of the
-- index.
SELECT e.pos, e.session_id, e.seq, e.ts_us, e.kind, e.actor, e.turn_id, e.payload
FROM json_each(?) j JOIN event e ON json_extract(e.payload, '$.call') = j.value
    AND e.kind IN ('message.sent', 'message.held', 'message.refused', 'delegation.refused', 'call.ended',
        'hook.decided')
ORDER BY e.pos

-- name: asks_of_calls
-- What the person was asked for some calls, oldest first; the argument is a JSON list of keys.
SELECT a.call_id, a.public_id, a.kind, a.state, a.decided_by, a.scope, a.requested_us, a.decided_us
FROM json_each(?) j JOIN ask a ON a.call_id = j.value ORDER BY a.id

-- name: labels_of_branches
-- How some agents are shown to the person, and what means each; the argument is a JSON list of keys.
SELECT b.id, {label}, {address}, s.public_id, b.public_id, b.profile, b.sealed_from_branch_id
FROM json_each(?) j JOIN branch b ON b.id = j.value JOIN session s ON s.id = b.session_id

-- name: sealed_by_public_id
-- The path that a revert has left, by its id.
SELECT id FROM branch WHERE public_id = ? AND sealed_us IS NOT NULL

-- name: tasks_told
-- Some tasks with the agents that they were given to, what these have cost and said last; the second argument is a
-- JSON list of keys.
SELECT k.id, k.public_id, k.state, k.outcome, k.cause, k.description, k.target_branch_id, k.background, k.made_agent,
    m.created_us, k.ended_us, coalesce(t.state, ''), b.paused_by_branch_id,
    (SELECT coalesce(sum(p.input_tokens + p.output_tokens), 0) FROM spend p WHERE p.branch_id = b.id),
    (SELECT coalesce(sum(p.cost_micros), 0) FROM spend p WHERE p.branch_id = b.id),
    coalesce((SELECT substr(json_extract(n.parts, '$.text'), 1, ?) FROM node n
        WHERE n.turn_id = k.turn_id AND n.role = 'assistant' ORDER BY n.id DESC LIMIT 1), '')
FROM json_each(?) j JOIN task k ON k.id = j.value JOIN message m ON m.id = k.id
    JOIN branch b ON b.id = k.target_branch_id LEFT JOIN turn t ON t.id = b.turn_id

-- name: replies_to
-- The replies to some messages, each with what it answers; the argument is a JSON list of keys.
SELECT m.reply_to_message_id, m.id, coalesce(m.sender_branch_id, 0)
FROM json_each(?) j JOIN message m ON m.reply_to_message_id = j.value WHERE m.kind = 'reply'

-- name: unread_told
-- What waits in an agent's mailbox and stands nowhere in its conversation, in the order of the mailbox.
SELECT d.id, d.message_id FROM delivery d WHERE d.recipient_branch_id = ? AND d.state = 'accepted' AND d.node_id IS NULL
ORDER BY d.seq LIMIT ?

-- name: read_on_buses
-- How many messages of agents on some buses somebody has read; the argument is a JSON list of keys.
SELECT m.bus_id, count(DISTINCT m.id) FROM json_each(?) j JOIN message m ON m.bus_id = j.value
    JOIN delivery d ON d.message_id = m.id AND d.state = 'consumed'
WHERE m.kind <> 'user' GROUP BY m.bus_id

-- name: spend_of_branch
-- What an agent has cost: tokens, then millionths of a US dollar.
SELECT coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(cost_micros), 0) FROM spend WHERE branch_id = ?
