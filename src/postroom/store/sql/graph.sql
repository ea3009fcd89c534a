-- name: graph_branches
-- Every branch of one session, also those that reverts have left, with how it stands and who made it.
SELECT b.id, b.public_id, {label}, {address}, CASE b.name_source WHEN '' THEN '' ELSE b.name END, b.profile,
    b.parent_branch_id, b.head_node_id, b.merged_head_node_id, b.internal, b.archived_us IS NOT NULL,
    b.sealed_us IS NOT NULL, b.sealed_from_branch_id, coalesce(t.state, ''), b.last_turn_state, b.id = s.active_branch_id
FROM branch b JOIN session s ON s.id = b.session_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.session_id = ? ORDER BY b.id

-- name: graph_steps
-- Every node of a session's conversations once, without texts; those that a fork shares with another session too.
WITH RECURSIVE path (id, predecessor, caller, role, turn, round, message) AS (
    SELECT n.id, n.predecessor_id, n.caller_id, n.role, n.turn_id, n.round, n.message_id
    FROM branch b JOIN node n ON n.id = b.head_node_id WHERE b.session_id = ?
    UNION
    SELECT n.id, n.predecessor_id, n.caller_id, n.role, n.turn_id, n.round, n.message_id
    FROM path p JOIN node n ON n.id = p.predecessor
)
SELECT p.id, p.predecessor, p.caller, p.role, p.turn, p.round, coalesce(p.message, 0), coalesce(m.kind, '')
FROM path p LEFT JOIN message m ON m.id = p.message

-- name: graph_made
-- Of each agent of a session that a call made: its task and how that stands, the answer with the call and its
-- pointer, the message that brought the result back, and the agent that made it.
SELECT x.id, k.public_id, k.state, coalesce(k.result_message_id, 0), c.turn_id, c.round, coalesce(a.id, 0),
    s.id, s.public_id, b.public_id, {label}
FROM branch x JOIN task k ON k.target_branch_id = x.id AND k.made_agent = 1 JOIN call c ON c.id = x.made_by_call_id
    JOIN branch b ON b.id = x.parent_branch_id JOIN session s ON s.id = b.session_id
    LEFT JOIN node a ON a.predecessor_id = x.caller_node_id AND a.role = 'attach'
        AND json_extract(a.parts, '$.branch') = x.id
WHERE x.session_id = ? ORDER BY x.id

-- name: graph_turns
-- How some turns stand; the argument is a JSON list of keys.
SELECT t.id, t.public_id, t.state, t.end_reason, t.branch_id FROM turn t
WHERE t.id IN (SELECT value FROM json_each(?))

-- name: graph_texts
-- How some nodes begin, whose words they are, and the message behind each; the argument is a JSON list of keys.
SELECT n.id, n.provenance, n.created_us, substr(CASE
        WHEN n.role IN ('assistant', 'summary') THEN coalesce(json_extract(n.parts, '$.text'), '')
        WHEN n.message_id IS NULL THEN coalesce((SELECT group_concat(substr(o.body, 1, 200), ' ')
            FROM json_each(n.parts, '$.parts') j JOIN message o ON o.id = json_extract(j.value, '$.message')), '')
        ELSE coalesce(m.body, '') END, 1, 400),
    coalesce(m.public_id, ''), coalesce(m.kind, ''), coalesce(m.sender_address, ''), m.sender_branch_id
FROM node n LEFT JOIN message m ON m.id = n.message_id WHERE n.id IN (SELECT value FROM json_each(?))

-- name: graph_tokens
-- What the answers of some turns have used; the argument is a JSON list of keys.
SELECT json_extract(e.payload, '$.node'), json_extract(e.payload, '$.input_tokens'),
    json_extract(e.payload, '$.output_tokens'), json_extract(e.payload, '$.cost_micros')
FROM json_each(?) j JOIN event e ON e.turn_id = j.value AND e.kind = 'answer.committed'

-- name: graph_calls
-- The calls of some turns in their order, each with the agent that it made; the argument is a JSON list of keys.
SELECT c.id, c.turn_id, c.round, c.position, c.tool, c.state, c.ended_by, c.is_error, substr(c.arguments, 1, 400),
    b.id, b.public_id, s.id, s.public_id, {label}, coalesce(k.state, '')
FROM json_each(?) j JOIN call c ON c.turn_id = j.value
    LEFT JOIN task k ON k.id = c.message_id AND k.made_agent = 1 LEFT JOIN branch b ON b.id = k.target_branch_id
    LEFT JOIN session s ON s.id = b.session_id AND s.deleted_us IS NULL
ORDER BY c.turn_id, c.round, c.position

-- name: graph_read
-- The mail of agents that was read at some nodes, with the answer that sent it; the argument is a JSON list of keys.
SELECT m.id, m.public_id, m.kind, m.reply_to_message_id IS NOT NULL, b.id, m.sender_turn_id, coalesce(c.round, 0),
    s.id, s.public_id, b.public_id, {label}, d.recipient_branch_id, d.node_id, d.state
FROM json_each(?) j JOIN delivery d ON d.node_id = j.value JOIN message m ON m.id = d.message_id
    JOIN branch b ON b.id = m.sender_branch_id JOIN session s ON s.id = b.session_id
    LEFT JOIN call c ON c.id = m.call_id
WHERE m.kind IN ('mail', 'task', 'reply')

-- name: graph_sent
-- The mail that the calls of some turns have sent, with where it was read; the argument is a JSON list of keys.
SELECT m.id, m.public_id, m.kind, m.reply_to_message_id IS NOT NULL, m.sender_branch_id, c.turn_id, c.round, s.id,
    s.public_id, b.public_id, {label}, b.id, d.node_id, d.state
FROM json_each(?) j JOIN call c ON c.turn_id = j.value JOIN message m ON m.id = c.message_id
    JOIN delivery d ON d.message_id = m.id JOIN branch b ON b.id = d.recipient_branch_id
    JOIN session s ON s.id = b.session_id
WHERE m.kind IN ('mail', 'task')

-- name: graph_origin
-- The session whose node a fork begins at, and that node.
SELECT o.public_id, s.forked_from_node_id FROM session s JOIN node n ON n.id = s.forked_from_node_id
    JOIN session o ON o.id = n.session_id AND o.id <> s.id
WHERE s.id = ?

-- name: graph_node
-- Which session a node was written in.
SELECT session_id FROM node WHERE id = ?

-- name: graph_branch
-- A branch by its id, in any session and also one that a revert has left, with whom it is looked at as.
SELECT b.id, b.session_id, s.public_id, b.head_node_id, b.sealed_us IS NOT NULL, b.sealed_from_branch_id,
    b.turn_id IS NOT NULL, {label}, {address}
FROM branch b JOIN session s ON s.id = b.session_id WHERE b.public_id = ? AND s.deleted_us IS NULL
