-- name: prunable_sessions
-- Sessions that keep their texts and that nothing has happened in since before a time, longest ago first.
SELECT last_active_us, id FROM session
WHERE deleted_us IS NULL AND pruned_us IS NULL AND last_active_us < ? AND (last_active_us, id) > (?, ?)
ORDER BY last_active_us, id LIMIT ?

-- name: oldest_prunable
-- When the session that has been quiet for longest was last active.
SELECT min(last_active_us) FROM session WHERE deleted_us IS NULL AND pruned_us IS NULL

-- name: tree_active_since
-- Whether anything has happened in a tree since a time.
SELECT 1 FROM session WHERE root_id = ? AND last_active_us >= ? LIMIT 1

-- name: tree_is_busy
-- Whether an agent of a tree has a turn, mail that it has not read, or a text, work or a goal that it waits for.
SELECT 1 FROM session s JOIN branch b ON b.session_id = s.id
WHERE s.root_id = ? AND (b.turn_id IS NOT NULL OR b.n_steer + b.n_queue + b.n_notice + b.n_parked > 0
    OR EXISTS (SELECT 1 FROM timer t WHERE t.branch_id = b.id AND t.state = 'set')
    OR EXISTS (SELECT 1 FROM producer p WHERE p.branch_id = b.id AND p.state = 'open')
    OR EXISTS (SELECT 1 FROM goal g WHERE g.branch_id = b.id AND g.state = 'active')
    OR EXISTS (SELECT 1 FROM delivery d WHERE d.sender_branch_id = b.id AND d.state = 'held')
    OR EXISTS (SELECT 1 FROM delivery d WHERE d.recipient_branch_id = b.id AND d.state = 'held'))
LIMIT 1

-- name: activity_of_session
-- What `prune` looks at: its root, when it was last active, and whether it is gone or pruned already.
SELECT root_id, last_active_us, deleted_us IS NOT NULL OR pruned_us IS NOT NULL FROM session WHERE id = ?

-- name: bodies_of_session
-- Messages that came to a session or stand on its buses, each with the other sessions that it came to as well.
SELECT m.id, m.body, (
    SELECT json_group_array(json_array(s.id, s.deleted_us IS NOT NULL OR s.pruned_us IS NOT NULL))
    FROM delivery o JOIN branch c ON c.id = o.recipient_branch_id JOIN session s ON s.id = c.session_id
    WHERE o.message_id = m.id AND c.session_id <> ?)
FROM message m
WHERE m.id IN (
        SELECT d.message_id FROM branch b JOIN delivery d ON d.recipient_branch_id = b.id
        WHERE b.session_id = ? AND d.message_id > ?
        UNION
        SELECT p.id FROM bus u JOIN turn t ON t.id = u.turn_id JOIN branch b ON b.id = t.branch_id
            JOIN message p ON p.bus_id = u.id
        WHERE b.session_id = ? AND p.id > ?)
    AND m.body <> ''
ORDER BY m.id LIMIT ?

-- name: texts_of_session
-- The nodes that a session's own turns have written, behind one of them.
SELECT n.id, n.role, n.turn_id, n.round, n.message_id, n.parts
FROM branch b JOIN turn t ON t.branch_id = b.id JOIN node n ON n.turn_id = t.id
WHERE b.session_id = ? AND n.session_id = b.session_id AND n.id > ? ORDER BY n.id LIMIT ?

-- name: keep_digest
-- What is left of a body: how long it was, and its hash.
INSERT OR IGNORE INTO pruned_body (message_id, body_bytes, body_sha256) VALUES (?, ?, ?)

-- name: digest_of_body
-- What is left of a body that was pruned.
SELECT body_bytes, body_sha256 FROM pruned_body WHERE message_id = ?

-- name: prune_session
-- A session is over, and its texts are gone up to one of its events.
UPDATE session SET pruned_us = ?, pruned_seq = ?, title = '' WHERE id = ?

-- name: pruned_seq
-- Up to which of its events the texts of a session are gone.
SELECT pruned_seq FROM session WHERE id = ?
