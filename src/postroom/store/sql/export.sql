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
    coalesce(m.public_id, ''), coalesce(m.kind, ''), coalesce(m.sender_address, ''), m.body
FROM node n LEFT JOIN turn t ON t.id = n.turn_id LEFT JOIN message m ON m.id = n.message_id
WHERE n.id = ?

-- name: mail_behind
-- Mail of one agent behind a key, oldest first: all of it, or only what stands in no conversation.
SELECT d.id, m.public_id, m.kind, m.mode, m.sender_address, m.created_us, d.state, d.parked, d.attempts, d.reason,
    d.round, coalesce(t.public_id, ''), d.node_id IS NOT NULL, d.reverted, m.body
FROM delivery d JOIN message m ON m.id = d.message_id LEFT JOIN turn t ON t.id = d.turn_id
WHERE d.recipient_branch_id = ? AND d.id > ? AND (? OR d.node_id IS NULL AND d.state <> 'consumed')
ORDER BY d.id LIMIT ?
