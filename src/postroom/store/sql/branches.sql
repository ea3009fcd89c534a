-- name: insert_spawned_branch
-- An agent beside others of its session, named at once.
INSERT INTO branch (public_id, session_id, name, profile, parent_branch_id, made_by_call_id, head_node_id,
    context_chars, caller_node_id, limits, created_us, label, cwd, place, name_source,
    internal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'label', 1)

-- name: cwd_of_branch
-- The directory in which an agent works.
SELECT CASE b.cwd WHEN '' THEN s.cwd ELSE b.cwd END FROM branch b JOIN session s ON s.id = b.session_id WHERE b.id = ?

-- name: place_of_agent
-- The directory in which an agent works, as it was when the agent was made, and as it was written.
SELECT CASE b.cwd WHEN '' THEN s.place ELSE b.place END, CASE b.cwd WHEN '' THEN s.cwd ELSE b.cwd END FROM branch b JOIN session s ON s.id = b.session_id
WHERE b.id = ?

-- name: set_resident
-- Which start of a process holds an agent in memory; -1: none does.
UPDATE branch SET resident_epoch = ? WHERE id = ?

-- name: resident_epoch
-- The same, read, and whether the agent has a turn.
SELECT resident_epoch, turn_id, session_id FROM branch WHERE id = ?

-- name: set_fan_out
-- How many agents a turn has made.
UPDATE turn SET fan_out = ? WHERE id = ?

-- name: branch_through
-- One branch of a session, sealed or not, whose conversation goes through a node.
WITH RECURSIVE path (branch, id) AS (
    SELECT b.id, b.head_node_id FROM branch b WHERE b.session_id = ? AND b.head_node_id >= ?
    UNION ALL
    SELECT p.branch, n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.predecessor_id >= ?
)
SELECT branch FROM path WHERE id = ? ORDER BY branch LIMIT 1

-- name: attach_of
-- Whether an answer points to a branch already.
SELECT id FROM node WHERE predecessor_id = ? AND role = 'attach' AND json_extract(parts, '$.branch') = ?

-- name: insert_attach
-- An answer points to the branch that one of its calls made.
INSERT INTO node (session_id, role, provenance, predecessor_id, turn_id, round, parts, created_us)
VALUES (?, 'attach', 'system', ?, ?, 0, ?, ?)
