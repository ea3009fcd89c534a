-- name: board_roots
-- The person's conversations before a key, the newest first.
SELECT id FROM session WHERE parent_id IS NULL AND id < ? AND deleted_us IS NULL ORDER BY id DESC LIMIT ?

-- name: board_root
-- One conversation of the person as a whole.
SELECT s.id, s.public_id, s.handle, s.title, s.cwd, s.team, s.policy_id, s.created_us, s.last_active_us, s.active_branch_id
FROM session s WHERE s.id = ? AND s.deleted_us IS NULL

-- name: agents_that_move
-- The agents of all trees that have a turn, ask the person, or hold mail that opens no turn by itself, with their
-- root and how much they ask. Only indexes of what is open are read.
SELECT t.branch_id, t.root_id, 0 FROM turn t WHERE t.state = 'waiting'
UNION ALL
SELECT t.branch_id, t.root_id, 0 FROM turn t WHERE t.state = 'running'
UNION ALL
SELECT t.branch_id, t.root_id, 0 FROM turn t WHERE t.state = 'suspended'
UNION ALL
SELECT b.id, s.root_id, 0 FROM branch b JOIN session s ON s.id = b.session_id WHERE b.n_parked > 0
UNION ALL
SELECT a.branch_id, a.root_id, 1 FROM ask a WHERE a.state = 'open'

-- name: newest_agents_of_tree
-- The agents of one tree that were made last.
SELECT b.id FROM session s JOIN branch b ON b.session_id = s.id
WHERE s.root_id = ? AND s.deleted_us IS NULL AND b.sealed_us IS NULL ORDER BY s.id DESC, b.id DESC LIMIT ?

-- name: agents_counted
-- How many agents one tree has, up to a number.
SELECT count(*) FROM (SELECT 1 FROM session s JOIN branch b ON b.session_id = s.id
    WHERE s.root_id = ? AND s.deleted_us IS NULL AND b.sealed_us IS NULL LIMIT ?)

-- name: board_agents
-- Some agents as the person watches them: who they are, who made them, their turn or their last one, the task that
-- they run, what lies unread and since when; the argument is a JSON list of keys.
SELECT b.id, b.public_id, s.id, s.root_id, s.public_id, {label}, {address}, coalesce(s.handle, ''),
    CASE b.name_source WHEN '' THEN '' ELSE b.name END, b.profile, b.id = s.active_branch_id, s.depth,
    b.parent_branch_id, b.paused_by_branch_id, b.archived_us IS NOT NULL, b.last_turn_state,
    b.n_steer + b.n_queue + b.n_notice + b.n_parked, b.n_parked, coalesce(t.id, 0), coalesce(t.state, ''),
    coalesce(t.end_reason, ''), coalesce(t.rounds, 0), coalesce(t.rounds_max, 0), coalesce(t.opened_us, b.created_us),
    t.ended_us, coalesce(k.public_id, ''), coalesce(k.description, ''),
    (SELECT d.accepted_us FROM delivery d WHERE d.recipient_branch_id = b.id AND d.state = 'accepted'
        ORDER BY d.seq LIMIT 1),
    (SELECT count(*) FROM producer p WHERE p.branch_id = b.id AND p.state = 'open')
FROM json_each(?) j JOIN branch b ON b.id = j.value JOIN session s ON s.id = b.session_id
    LEFT JOIN turn t ON t.id = coalesce(b.turn_id, (SELECT max(o.id) FROM turn o WHERE o.branch_id = b.id))
    LEFT JOIN task k ON k.id = t.task_id
WHERE s.deleted_us IS NULL ORDER BY s.id, b.id <> s.active_branch_id, b.id

-- name: spend_of_agents
-- What some agents have used and cost; the argument is a JSON list of keys.
SELECT p.branch_id, sum(p.input_tokens), sum(p.output_tokens), sum(p.cost_micros), sum(p.unpriced)
FROM json_each(?) j JOIN spend p ON p.branch_id = j.value GROUP BY p.branch_id

-- name: newest_event_of_turn
-- When something was last told of a turn.
SELECT ts_us FROM event WHERE turn_id = ? ORDER BY pos DESC LIMIT 1

-- name: open_tool_of_turn
-- The first call of a turn that has no result yet and waits for nothing.
SELECT c.tool FROM call c LEFT JOIN wait w ON w.call_id = c.id
WHERE c.turn_id = ? AND c.state = 'open' AND w.call_id IS NULL ORDER BY c.id LIMIT 1

-- name: awaited_by
-- What the calls of an agent wait for: a task, a message, an agent or the person, each with the agent behind it.
SELECT w.kind, w.by_mail, coalesce(k.public_id, ''), coalesce(q.kind, ''), coalesce(m.public_id, ''), b.public_id,
    coalesce({label}, '')
FROM wait w LEFT JOIN wait_target g ON g.call_id = w.call_id
    LEFT JOIN task k ON k.id = coalesce(w.task_id, g.task_id) LEFT JOIN ask q ON q.id = w.ask_id
    LEFT JOIN message m ON m.id = g.message_id
    LEFT JOIN branch b ON b.id = coalesce(k.target_branch_id, g.branch_id,
        (SELECT d.recipient_branch_id FROM delivery d WHERE d.message_id = m.id ORDER BY d.id LIMIT 1))
    LEFT JOIN session s ON s.id = b.session_id
WHERE w.branch_id = ? ORDER BY w.call_id, g.rowid
