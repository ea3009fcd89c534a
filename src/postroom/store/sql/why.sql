-- name: events_of_turn
-- Everything that the log tells of one turn, in the order of the store.
SELECT {event} FROM event WHERE turn_id = ? ORDER BY pos

-- name: events_of_delivery
-- The life of one delivery, in the order of the store. The kinds are those of the index.
SELECT {event} FROM event
WHERE json_extract(payload, '$.delivery') = ?
    AND kind IN ('message.held', 'message.accepted', 'message.claimed', 'message.released', 'message.unparked',
        'message.consumed', 'message.discarded', 'message.undelivered')
ORDER BY pos

-- name: rare_events_of_session
-- What happens seldom in a session and concerns much of it: reverts, cancels, reminders, grants.
SELECT {event} FROM event
WHERE session_id = ? AND kind IN ('branch.reverted', 'branch.cancelled', 'goal.reminded', 'grant.given', 'grant.revoked')
ORDER BY pos

-- name: written
-- What a sender wrote, with all that it hangs on.
SELECT id, public_id, kind, mode, body, facts, sender_branch_id, sender_address, sender_turn_id, call_id, task_id,
    reply_to_message_id, chain_id, messages, generations, created_us
FROM message WHERE id = ?

-- name: addressed
-- To whom a message went, and how the recipient stood as the sender was told.
SELECT id, recipient_branch_id, recipient_state FROM delivery WHERE message_id = ? ORDER BY id

-- name: message_of_delivery
-- The message that a delivery is of.
SELECT message_id FROM delivery WHERE id = ?

-- name: answers_to
-- What was written because of a message: the result of a task, a notice about it, a retry.
SELECT id FROM message WHERE reply_to_message_id = ? ORDER BY id

-- name: turn_origin
-- What is fixed when a turn is opened.
SELECT id, public_id, branch_id, session_id, root_id, trigger, opened_us FROM turn WHERE id = ?

-- name: turn_before
-- The turn that an agent had before this one.
SELECT public_id FROM turn WHERE branch_id = ? AND id < ? ORDER BY id DESC LIMIT 1

-- name: turn_after
-- The turn that an agent had after this one.
SELECT public_id FROM turn WHERE branch_id = ? AND id > ? ORDER BY id LIMIT 1

-- name: calls_made
-- The calls of one turn as the model made them, round by round.
SELECT {made_call} FROM call
WHERE turn_id = ? ORDER BY round, position

-- name: call_made
-- One call by key.
SELECT {made_call} FROM call WHERE id = ?

-- name: call_at
-- One call by its place.
SELECT {made_call} FROM call
WHERE turn_id = ? AND round = ? AND position = ?

-- name: grants_of_root
-- What the person has ever allowed for one tree, oldest first.
SELECT id, action, resource, recipient_branch_id, tool, ask_id, granted_us, revoked_us FROM "grant"
WHERE root_id = ? ORDER BY id

-- name: call_of_work
-- The call that began the work whose end a message tells.
SELECT call_id FROM producer WHERE message_id = ?

-- name: message_of_work
-- The message that tells the end of a piece of work.
SELECT message_id FROM producer WHERE id = ?

-- name: goal_id
-- The public id of a goal.
SELECT public_id FROM goal WHERE id = ?

-- name: first_step_of_turn
-- What came first in a turn: what it read when it opened, or an answer when it had nothing to read.
SELECT {event} FROM event
WHERE turn_id = ? AND kind IN ('message.claimed', 'answer.committed') ORDER BY pos LIMIT 1
