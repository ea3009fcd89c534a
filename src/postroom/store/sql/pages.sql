-- name: sessions_page
-- Sessions that were last active before a time and a key, the newest first, each with what waits in it.
SELECT {shown_session}
FROM session s JOIN session r ON r.id = s.root_id JOIN branch b ON b.id = s.active_branch_id
    LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.deleted_us IS NULL AND (s.last_active_us, s.id) < (?, ?)
ORDER BY s.last_active_us DESC, s.id DESC LIMIT ?

-- name: roots_page
-- The same for the sessions that the person began.
SELECT {shown_session}
FROM session s JOIN session r ON r.id = s.root_id JOIN branch b ON b.id = s.active_branch_id
    LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.deleted_us IS NULL AND s.parent_id IS NULL AND (s.last_active_us, s.id) < (?, ?)
ORDER BY s.last_active_us DESC, s.id DESC LIMIT ?

-- name: shown_session
-- One session in the same form.
SELECT {shown_session}
FROM session s JOIN session r ON r.id = s.root_id JOIN branch b ON b.id = s.active_branch_id
    LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.id = ?

-- name: every_branch
-- Every branch of one session, in the order in which they were made; also the paths that reverts have left.
SELECT b.id, b.public_id, b.name, b.name_source, b.profile, p.public_id, b.head_node_id, coalesce(n.said, 0),
    b.context_chars, t.state, b.last_turn_state, b.paused_by_branch_id, b.archived_us, b.archived_reason,
    b.merged_head_node_id, b.internal, b.sealed_us,
    b.n_steer + b.n_queue + b.n_notice + b.n_parked, b.created_us
FROM branch b LEFT JOIN branch p ON p.id = b.parent_branch_id LEFT JOIN node n ON n.id = b.head_node_id
    LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.session_id = ? ORDER BY b.id

-- name: team_behind
-- The next team, in the order of their names, that a session is of.
SELECT min(team) FROM session WHERE team > ? AND deleted_us IS NULL

-- name: has_team
-- Whether a session is of a team.
SELECT 1 FROM session WHERE team = ? AND deleted_us IS NULL LIMIT 1

-- name: told_task
-- One task as the person sees it, with its text, its result and what it was given for.
SELECT {told_task}, m.body, t.result, t.background, t.id, coalesce(u.public_id, ''), coalesce(k.public_id, ''),
    coalesce(r.public_id, '')
FROM task t JOIN message m ON m.id = t.id LEFT JOIN turn u ON u.id = t.turn_id LEFT JOIN task k ON k.id = t.parent_task_id
    LEFT JOIN message r ON r.id = t.result_message_id
WHERE t.public_id = ?

-- name: tasks_given_for
-- The tasks that were given in the course of one, oldest first.
SELECT {told_task} FROM task t JOIN message m ON m.id = t.id WHERE t.parent_task_id = ? ORDER BY t.id LIMIT ?

-- name: chains_before
-- The chains before a key, newest first.
SELECT id FROM chain WHERE id < ? ORDER BY id DESC LIMIT ?

-- name: branch_of_chain
-- The first agent that has spent something in a chain.
SELECT min(branch_id) FROM spend WHERE chain_id = ?

-- name: unseen_notices
-- What the person was told and has not read, newest first.
SELECT n.id, coalesce(s.public_id, ''), coalesce({label}, ''), n.code, n.body, n.created_us, n.seen_us
FROM person_notice n LEFT JOIN session s ON s.id = n.session_id LEFT JOIN branch b ON b.id = s.active_branch_id
WHERE n.seen_us IS NULL AND n.id < ? ORDER BY n.id DESC LIMIT ?

-- name: seen_notices
-- What the person was told and has read, newest first.
SELECT n.id, coalesce(s.public_id, ''), coalesce({label}, ''), n.code, n.body, n.created_us, n.seen_us
FROM person_notice n LEFT JOIN session s ON s.id = n.session_id LEFT JOIN branch b ON b.id = s.active_branch_id
WHERE n.seen_us IS NOT NULL AND n.id < ? ORDER BY n.id DESC LIMIT ?

-- name: count_unseen
-- How much the person has not read, counted no further than a bound.
SELECT count(*) FROM (SELECT 1 FROM person_notice WHERE seen_us IS NULL LIMIT ?)

-- name: dead_letters
-- Mail that ended unread, newest first, with the message by which its text was accepted again.
SELECT d.id, m.public_id, m.kind, m.mode, coalesce(m.sender_branch_id, 0), m.sender_address, d.recipient_branch_id, d.state,
    d.reason, m.created_us, coalesce(d.ended_us, m.created_us), d.attempts, length(m.body), substr(m.body, 1, ?),
    coalesce((SELECT r.public_id FROM message r
        WHERE r.client_id = 'retry:' || m.public_id || ':' || d.recipient_branch_id), ''),
    b.archived_us IS NOT NULL, m.facts
FROM delivery d JOIN message m ON m.id = d.message_id JOIN branch b ON b.id = d.recipient_branch_id
WHERE d.state IN ('discarded', 'undelivered') AND d.id < ? ORDER BY d.id DESC LIMIT ?

-- name: waited_of_delivery
-- Of which kind a message is, and when its recipient accepted it.
SELECT kind, accepted_us FROM delivery WHERE id = ?

-- name: standing_now
-- How much there is of all that comes and goes, each from an index that holds nothing else; `+id` keeps the
-- least of the unread from being looked for in all deliveries ever made, one by one.
SELECT (SELECT count(*) FROM turn WHERE state = 'running'), (SELECT count(*) FROM turn WHERE state = 'waiting'),
    (SELECT count(*) FROM turn WHERE state = 'suspended'),
    (SELECT count(*) FROM branch WHERE paused_by_branch_id IS NOT NULL),
    (SELECT count(*) FROM delivery WHERE state = 'accepted'), (SELECT count(*) FROM delivery WHERE state = 'held'),
    (SELECT coalesce(sum(n_parked), 0) FROM branch WHERE n_parked > 0),
    (SELECT count(*) FROM person_notice WHERE seen_us IS NULL),
    coalesce((SELECT accepted_us FROM delivery WHERE id = (SELECT min(+id) FROM delivery WHERE state = 'accepted')), 0)

-- name: open_asks_by_kind
-- How many asks of each kind are open.
SELECT kind, count(*) FROM ask WHERE state = 'open' GROUP BY +kind
