-- name: agents_of_tree
-- Every agent of one tree with what it does and what waits for it: of each session first the one that the
-- session is of, then its others.
SELECT s.public_id, s.handle, b.profile, s.title, coalesce(t.state, ''), b.last_turn_state,
    b.paused_by_branch_id, b.n_steer, b.n_queue, b.n_notice, b.n_parked, b.id, s.id, s.depth, b.public_id, b.name,
    b.name_source, b.parent_branch_id, b.id = s.active_branch_id, b.archived_us
FROM session s JOIN branch b ON b.session_id = s.id AND b.sealed_us IS NULL LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.root_id = ? AND s.deleted_us IS NULL ORDER BY s.id, b.id <> s.active_branch_id, b.id

-- name: newest_roots
-- The person's newest conversations.
SELECT id FROM session WHERE parent_id IS NULL ORDER BY id DESC LIMIT ?

-- name: open_turns_of_tree
-- How many turns of a tree wait, run or only wait for a task, and how much work goes on in the background.
SELECT count(b.turn_id) + sum((SELECT count(*) FROM producer p WHERE p.branch_id = b.id AND p.state = 'open'))
FROM session s JOIN branch b ON b.session_id = s.id WHERE s.root_id = ?

-- name: moves_of_tree
-- How much of a tree goes on or ends by itself, without a word of the person: turns that stand in line or run,
-- work in the background, waits that are over or end at their time, and requests for leave, which have a due time.
SELECT count(t.id) + sum((SELECT count(*) FROM producer p WHERE p.branch_id = b.id AND p.state = 'open'))
    + sum((SELECT count(*) FROM wait w LEFT JOIN ask q ON q.id = w.ask_id LEFT JOIN task k ON k.id = w.task_id
        LEFT JOIN branch c ON c.id = k.target_branch_id
        WHERE w.branch_id = b.id
            AND (q.state <> 'open' OR (w.task_id IS NOT NULL AND c.turn_id IS NULL) OR w.kind <> '')))
    + (SELECT count(*) FROM ask a WHERE a.root_id = s.root_id AND a.state = 'open' AND a.kind = 'approval'
        AND a.message_id IS NULL)
FROM session s JOIN branch b ON b.session_id = s.id
LEFT JOIN turn t ON t.id = b.turn_id AND t.state <> 'suspended' WHERE s.root_id = ?

-- name: delivery_of_message
-- How a message stands with its recipient, and how the turn that read it ended. Of what was said on a bus, with
-- the entry agent, or as it ended when nobody had taken it.
SELECT d.state, d.parked, d.attempts, d.round, d.reason, d.recipient_branch_id, b.paused_by_branch_id,
    coalesce(t.state, ''), coalesce(t.end_reason, ''), coalesce(t.public_id, ''), coalesce(t.id, 0)
FROM delivery d LEFT JOIN branch b ON b.id = d.recipient_branch_id LEFT JOIN turn t ON t.id = d.turn_id
    JOIN message m ON m.id = d.message_id
    LEFT JOIN reader r ON r.bus_id = m.bus_id AND r.branch_id = d.recipient_branch_id
WHERE d.message_id = ? AND coalesce(r.entry, 1)

-- name: answer_of_turn
-- The newest answer of one turn.
SELECT parts FROM node WHERE turn_id = ? AND role = 'assistant' ORDER BY id DESC LIMIT 1

-- name: ended_turn_of_branch
-- The newest turn of a branch that has ended.
SELECT id, state, end_reason FROM turn
WHERE branch_id = ? AND state NOT IN ('waiting', 'running', 'suspended') ORDER BY id DESC LIMIT 1

-- name: branch_label
-- How a branch is shown to the person: by the handle of the session that it is the agent of, else by the name
-- that it was given, else by its profile.
SELECT {label}, s.public_id, s.id, b.public_id FROM branch b JOIN session s ON s.id = b.session_id WHERE b.id = ?

-- name: session_label
-- How a session is shown to the person: as the agent that it is of.
SELECT {label}, s.public_id, s.id, b.public_id FROM session s JOIN branch b ON b.id = s.active_branch_id WHERE s.id = ?

-- name: message_view
-- One message with its sender, its state and where it was read; of a group send at its first recipient.
SELECT {viewed}
FROM message m LEFT JOIN delivery d ON d.message_id = m.id LEFT JOIN turn t ON t.id = d.turn_id
WHERE m.id = ? ORDER BY d.id

-- name: message_view_at
-- The same at one of its recipients.
SELECT {viewed}
FROM message m JOIN delivery d ON d.message_id = m.id LEFT JOIN turn t ON t.id = d.turn_id
WHERE m.id = ? AND d.recipient_branch_id = ?

-- name: message_id_of_delivery
-- The public id of the message that a delivery is of.
SELECT m.public_id FROM delivery d JOIN message m ON m.id = d.message_id WHERE d.id = ?

-- name: message_id
-- The public id of a message.
SELECT public_id FROM message WHERE id = ?

-- name: messages_of_branch
-- The newest messages that an agent was sent.
SELECT message_id FROM delivery WHERE recipient_branch_id = ? ORDER BY message_id DESC LIMIT ?

-- name: branch_of_turn
-- Whose turn it is.
SELECT branch_id FROM turn WHERE id = ?

-- name: branch_of_delivery
-- Whom a message went to.
SELECT recipient_branch_id FROM delivery WHERE id = ?

-- name: person_notices_after
-- What the person should read.
SELECT id, session_id, code, body, created_us FROM person_notice WHERE id > ? ORDER BY id LIMIT ?

-- name: calls_in_full
-- The calls of one round with their arguments and results, in call order.
SELECT c.position, c.tool, c.arguments, c.state, c.ended_by, c.result, c.is_error, coalesce(m.public_id, ''), c.images,
    c.changed_arguments, c.changed_by
FROM call c LEFT JOIN message m ON m.id = c.message_id
WHERE c.turn_id = ? AND c.round = ? ORDER BY c.position

-- name: answer_of_round
-- The answer of one round.
SELECT parts FROM node WHERE turn_id = ? AND round = ? AND role = 'assistant' ORDER BY id DESC LIMIT 1
