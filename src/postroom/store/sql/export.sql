-- name: roots_behind
-- The person's conversations behind a key, oldest first.
SELECT id FROM session WHERE parent_id IS NULL AND id > ? ORDER BY id LIMIT ?

-- name: tree_behind
-- The sessions of one tree behind a key, oldest first, each with its agent and its place in the tree.
SELECT s.id, s.public_id, p.public_id, s.handle, s.title, s.cwd, s.team, s.depth, s.created_us, b.id, b.head_node_id,
    b.profile, coalesce(t.state, ''), b.last_turn_state, b.paused_by_branch_id
FROM session s JOIN branch b ON b.id = s.active_branch_id LEFT JOIN session p ON p.id = s.parent_id
LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.root_id = ? AND s.id > ? AND s.deleted_us IS NULL ORDER BY s.id LIMIT ?

-- name: branches_beside
-- The agents of a session beside the one that it is of, oldest first.
SELECT b.id, b.public_id, CASE b.name_source WHEN '' THEN '' ELSE b.name END, b.profile, b.head_node_id,
    coalesce(t.state, ''), b.last_turn_state, b.paused_by_branch_id, b.created_us, coalesce(p.public_id, ''),
    b.archived_us, b.archived_reason
FROM branch b LEFT JOIN turn t ON t.id = b.turn_id LEFT JOIN branch p ON p.id = b.parent_branch_id
WHERE b.session_id = ? AND b.id <> ? AND b.sealed_us IS NULL ORDER BY b.id

-- name: keys_to_head
-- The keys of a conversation, newest first.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.predecessor_id IS NOT NULL
)
SELECT id FROM path

-- name: node_in_full
-- One item of a conversation with its turn and with the message that it shows.
SELECT n.role, n.provenance, n.parts, n.turn_id, n.round, n.created_us, coalesce(t.public_id, ''),
    coalesce(m.public_id, ''), coalesce(m.kind, ''), coalesce(m.sender_address, ''),
    CASE WHEN n.message_id IS NULL AND n.role = 'user' THEN (SELECT json_group_array(o.body)
        FROM json_each(n.parts, '$.parts') j JOIN message o ON o.id = json_extract(j.value, '$.message')) ELSE m.body END
FROM node n LEFT JOIN turn t ON t.id = n.turn_id LEFT JOIN message m ON m.id = n.message_id
WHERE n.id = ?

-- name: mail_behind
-- Mail of one agent behind a key, oldest first: all of it, or only what stands in no conversation.
SELECT d.id, m.public_id, m.kind, m.mode, m.sender_address, m.created_us, d.state, d.parked, d.attempts, d.reason,
    d.round, coalesce(t.public_id, ''), d.node_id IS NOT NULL, d.reverted, m.body
FROM delivery d JOIN message m ON m.id = d.message_id LEFT JOIN turn t ON t.id = d.turn_id
WHERE d.recipient_branch_id = ? AND d.id > ? AND (? OR d.node_id IS NULL AND d.state <> 'consumed')
ORDER BY d.id LIMIT ?

-- name: made_in_round
-- The agents that the calls of one round have made, in the order of the calls, each with how its task stands and
-- the address that it had on the bus of its turn.
SELECT c.position, b.id, b.head_node_id, b.profile, b.paused_by_branch_id, s.id, s.public_id, s.root_id,
    coalesce(r.address, ''), k.state, k.outcome, k.cause, m.body
FROM call c JOIN task k ON k.id = c.message_id JOIN message m ON m.id = k.id
    JOIN branch b ON b.id = k.target_branch_id JOIN session s ON s.id = b.session_id
    LEFT JOIN turn t ON t.id = k.turn_id LEFT JOIN reader r ON r.bus_id = t.bus_id AND r.branch_id = b.id
WHERE c.turn_id = ? AND c.round = ? AND s.deleted_us IS NULL ORDER BY c.position

-- name: sessions_by_tail
-- Sessions whose ids end so; the first argument are their last six characters.
SELECT id, public_id FROM session WHERE substr(public_id, -6) = ? AND deleted_us IS NULL ORDER BY id
