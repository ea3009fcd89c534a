-- name: insert_session
-- A conversation container.
INSERT INTO session (public_id, root_id, parent_id, parent_turn_id, origin, handle, title, cwd, team, policy_id,
    depth, created_us, mode, attended, last_active_us, place)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: root_session
-- A session without parent is its own root.
UPDATE session SET root_id = id WHERE id = ?

-- name: insert_branch
-- An agent.
INSERT INTO branch (public_id, session_id, name, profile, parent_branch_id, made_by_call_id, created_us)
VALUES (?, ?, 'main', ?, ?, ?, ?)

-- name: activate_branch
-- What an address of the session means.
UPDATE session SET active_branch_id = ? WHERE id = ?

-- name: handle_taken
-- Whether a handle exists in a tree.
SELECT 1 FROM session WHERE root_id = ? AND handle = ?

-- name: session_row
-- One session by key.
SELECT {session} FROM session WHERE id = ?

-- name: session_by_public_id
-- One session by public id.
SELECT {session} FROM session WHERE public_id = ? AND deleted_us IS NULL

-- name: session_by_handle
-- Sessions with this handle, in any tree: for the person, who may name any agent.
SELECT {session} FROM session WHERE handle = ? AND deleted_us IS NULL

-- name: branch_row
-- One branch with its counters.
SELECT id, session_id, profile, head_node_id, parent_branch_id, turn_id, last_turn_state, paused_by_branch_id,
    n_steer, n_queue, n_notice, n_parked, context_chars, public_id, name, archived_us, rounds
FROM branch WHERE id = ?

-- name: branches_below
-- A branch and everything that was made below it.
WITH RECURSIVE below (id) AS (
    SELECT ?
    UNION
    SELECT b.id FROM below JOIN branch b ON b.parent_branch_id = below.id
)
SELECT id FROM below

-- name: pause_branch
-- Nothing runs here until the person speaks; the first stop counts (G11).
UPDATE branch SET paused_by_branch_id = ? WHERE id = ? AND paused_by_branch_id IS NULL

-- name: unpause_branch
-- The pause of one branch ends.
UPDATE branch SET paused_by_branch_id = NULL WHERE id = ?

-- name: paused_by
-- The branches that one stop paused.
SELECT id FROM branch WHERE paused_by_branch_id = ?

-- name: parked_branches
-- Branches with mail that opens no turn by itself.
SELECT id FROM branch WHERE n_parked > 0

-- name: runnable_branches
-- Branches with a reason to run and no turn: what a lost doorbell leaves behind.
SELECT id FROM branch
WHERE turn_id IS NULL AND paused_by_branch_id IS NULL AND n_steer + n_queue > 0

-- name: policy_body
-- A stored policy.
SELECT body FROM policy WHERE id = ?

-- name: policy_behind
-- The stored policy behind another one.
SELECT id FROM policy WHERE id > ? ORDER BY id LIMIT 1

-- name: policy_key
-- The key of a policy that is stored already.
SELECT id FROM policy WHERE body = ?

-- name: insert_policy
-- A policy that a session was made with.
INSERT INTO policy (body) VALUES (?)

-- name: told_in_turn
-- Whether the person was told something in a turn.
SELECT 1 FROM event WHERE turn_id = ? AND kind = 'person.notified' AND json_extract(payload, '$.code') = ? LIMIT 1

-- name: see_notice
-- The person has read what they were told, once.
UPDATE person_notice SET seen_us = ? WHERE id = ? AND seen_us IS NULL

-- name: unseen_through
-- What the person has not read up to a key, oldest first.
SELECT id FROM person_notice WHERE seen_us IS NULL AND id <= ? ORDER BY id LIMIT ?

-- name: session_of_notice
-- Which session a notice is of.
SELECT session_id FROM person_notice WHERE id = ?

-- name: insert_person_notice
-- Something the person should read.
INSERT INTO person_notice (session_id, code, body, created_us) VALUES (?, ?, ?, ?)
