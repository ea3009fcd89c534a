-- name: insert_ask
-- The person is asked; `state` is open, or final already when somebody decides in the person's place.
INSERT INTO ask (public_id, kind, root_id, session_id, branch_id, turn_id, call_id, action, resource,
    recipient_branch_id, tool, text, options, state, requested_us, due_us, message_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)

-- name: ask_row
-- One ask by key.
SELECT {ask} FROM ask WHERE id = ?

-- name: ask_by_public_id
-- One ask by the id that the person was shown.
SELECT {ask} FROM ask WHERE public_id = ?

-- name: asks_by_tail
-- Asks whose id ends with these eight characters, newest first: how a person names one.
SELECT {ask} FROM ask WHERE substr(public_id, -8) = ? ORDER BY id DESC LIMIT 16

-- name: asks_of_call
-- Everything that was asked for one call, newest first: a changed recipient is asked for again.
SELECT {ask} FROM ask WHERE call_id = ? ORDER BY id DESC

-- name: open_asks_of_turn
-- What one turn waits for the person for; what is asked for a held message outlives the turn.
SELECT {ask} FROM ask WHERE turn_id = ? AND state = 'open' AND message_id IS NULL ORDER BY +id

-- name: ask_of_message
-- What was asked for a held message, of one of its recipients.
SELECT {ask} FROM ask WHERE message_id = ? AND recipient_branch_id = ?

-- name: open_asks_of_root
-- What the agents of one tree ask, oldest first.
SELECT {ask} FROM ask WHERE root_id = ? AND state = 'open' ORDER BY id

-- name: open_asks
-- What all agents ask, oldest first. The plus keeps SQLite from walking through every ask there ever was.
SELECT {ask} FROM ask WHERE state = 'open' ORDER BY +id

-- name: due_asks
-- Asks whose time is over, oldest first.
SELECT {ask} FROM ask WHERE state = 'open' AND due_us IS NOT NULL AND due_us <= ? ORDER BY due_us, id

-- name: next_due_ask
-- When the next ask ends undecided.
SELECT min(due_us) FROM ask WHERE state = 'open' AND due_us IS NOT NULL

-- name: end_ask
-- The end of an ask, written once.
UPDATE ask SET state = ?, decided_by = ?, scope = ?, answer = ?, decided_us = ? WHERE id = ? AND state = 'open'

-- name: insert_grant
-- The person allows a kind of deed for a whole tree.
INSERT INTO "grant" (root_id, action, resource, recipient_branch_id, tool, ask_id, granted_us)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: live_grants
-- What the person has allowed for one tree, oldest first.
SELECT id, action, resource, recipient_branch_id, tool FROM "grant"
WHERE root_id = ? AND revoked_us IS NULL ORDER BY id

-- name: revoke_grant
-- One grant holds no longer.
UPDATE "grant" SET revoked_us = ? WHERE id = ? AND revoked_us IS NULL

-- name: tree_rights
-- How asks of a tree are decided, the person's rules over it, and whether anybody is there; by its root.
SELECT mode, overlay, attended FROM session WHERE id = ?

-- name: set_mode
-- How the asks of a tree are decided from now on.
UPDATE session SET mode = ? WHERE id = ?

-- name: set_attended
-- Whether somebody is there to answer what agents of a tree ask.
UPDATE session SET attended = ? WHERE id = ?

-- name: set_overlay
-- The person's rules over a tree.
UPDATE session SET overlay = ? WHERE id = ?

-- name: newest_text_of_person
-- What the person alone wrote last, to an agent or to the root of its tree; goes no further back than that.
WITH RECURSIVE path (id) AS (
    SELECT head_node_id FROM branch WHERE id IN (?, (SELECT active_branch_id FROM session WHERE id = ?))
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.provenance <> 'user'
)
SELECT coalesce(m.body, (SELECT group_concat(o.body, char(10, 10)) FROM json_each(n.parts, '$.parts') j
    JOIN message o ON o.id = json_extract(j.value, '$.message')))
FROM path JOIN node n ON n.id = path.id LEFT JOIN message m ON m.id = n.message_id
WHERE n.provenance = 'user' ORDER BY n.id DESC LIMIT 1

-- name: request_of_turn
-- What the person has asked for in a turn, oldest first: what opened or joined it, what waits to join it, and
-- what was said on its bus.
SELECT m.body FROM message m WHERE m.id IN (
    SELECT d.message_id FROM delivery d WHERE d.turn_id = ? AND d.kind = 'user'
    UNION
    SELECT d.message_id FROM delivery d
    WHERE d.recipient_branch_id = ? AND d.state = 'accepted' AND d.kind = 'user' AND d.mode = 'steer'
    UNION
    SELECT p.id FROM bus b JOIN message p ON p.bus_id = b.id WHERE b.turn_id = ? AND p.kind = 'user'
) ORDER BY m.id
