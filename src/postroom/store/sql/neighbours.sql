-- name: neighbour_by_public_id
-- The agent that the id of a session means, with what others may see of it.
SELECT {neighbour} FROM session s JOIN branch b ON b.id = s.active_branch_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.public_id = ? AND s.deleted_us IS NULL

-- name: neighbour_of_branch
-- One agent as the others see it, wherever it is.
SELECT {neighbour} FROM branch b JOIN session s ON s.id = b.session_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.id = ?

-- name: neighbours_in_place
-- The agents of the sessions in one directory, behind a place in the order of activity, the newest first.
SELECT {neighbour} FROM session s JOIN branch b ON b.id = s.active_branch_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.place = ? AND s.deleted_us IS NULL AND (s.last_active_us, s.id) < (?, ?)
ORDER BY s.last_active_us DESC, s.id DESC LIMIT ?

-- name: neighbours_before
-- The same for the sessions of all directories.
SELECT {neighbour} FROM session s JOIN branch b ON b.id = s.active_branch_id LEFT JOIN turn t ON t.id = b.turn_id
WHERE s.deleted_us IS NULL AND (s.last_active_us, s.id) < (?, ?)
ORDER BY s.last_active_us DESC, s.id DESC LIMIT ?

-- name: neighbours_made_by
-- The agents of the sessions that one agent has made, the newest ones.
SELECT {neighbour} FROM branch b JOIN session s ON s.active_branch_id = b.id AND s.id = b.session_id
    LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.parent_branch_id = ? AND s.deleted_us IS NULL ORDER BY b.id DESC LIMIT ?

-- name: resident_neighbours
-- The same for those that one process holds in memory. The plus keeps SQLite with the index of these few.
SELECT {neighbour} FROM branch b JOIN session s ON s.active_branch_id = b.id AND s.id = b.session_id
    LEFT JOIN turn t ON t.id = b.turn_id
WHERE b.resident_epoch = ? AND b.resident_epoch > 0 AND s.deleted_us IS NULL
    AND (+s.last_active_us, s.id) < (?, ?)
ORDER BY +s.last_active_us DESC, s.id DESC LIMIT ?

-- name: n_open_asks
-- How much the person is asked for one agent of a tree, for its calls and for messages that it holds.
SELECT count(*) FROM ask WHERE root_id = ? AND state = 'open' AND branch_id = ?

-- name: news_after
-- What the log says behind a place of how agents stand, and of mail for them, each with the agent that it is about.
SELECT e.pos, e.session_id, e.ts_us, e.kind, coalesce(json_extract(e.payload, '$.branch'), t.branch_id, s.active_branch_id),
    json_extract(e.payload, '$.sender')
FROM event e LEFT JOIN turn t ON t.id = e.turn_id LEFT JOIN session s ON s.id = e.session_id
WHERE e.pos > ? AND e.kind IN ({news_kinds}, 'session.created', 'session.forked', 'session.deleted', 'message.accepted')
ORDER BY e.pos LIMIT ?

-- name: stand_before
-- What the log of a session said last, up to a place, of how one of its agents stands.
SELECT e.kind, json_extract(e.payload, '$.state') FROM event e LEFT JOIN turn t ON t.id = e.turn_id
WHERE e.session_id = ? AND e.pos <= ? AND e.kind IN ({news_kinds})
    AND coalesce(json_extract(e.payload, '$.branch'), t.branch_id) = ?
ORDER BY e.seq DESC LIMIT 1
