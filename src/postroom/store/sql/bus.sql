-- name: branch_place
-- Where an agent is, as the bus names it: its session, its own id, what people call it, and its profile.
SELECT s.public_id, b.public_id, coalesce(s.handle, CASE WHEN b.name_source <> '' THEN b.name END, b.profile),
    b.profile
FROM branch b JOIN session s ON s.id = b.session_id WHERE b.id = ?

-- name: turn_place
-- A turn, as the bus names it; once it has ended, its fence says whether it has ever run.
SELECT public_id, branch_id, trigger, fence > 1 FROM turn WHERE id = ?

-- name: answers_of_turn
-- What each answer of a turn has cost, in the order of the rounds.
SELECT {event} FROM event WHERE turn_id = ? AND kind = 'answer.committed' ORDER BY pos

-- name: extend_turn
-- A gate has kept a turn from ending once more.
UPDATE turn SET stop_asks = ? WHERE id = ?
