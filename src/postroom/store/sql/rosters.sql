-- name: insert_bus
-- The bus of a turn opens with it.
INSERT INTO bus (turn_id, session_id) VALUES (?, ?)

-- name: set_turn_bus
-- On which bus the agent of a turn writes and reads.
UPDATE turn SET bus_id = ? WHERE id = ?

-- name: bus_row
-- One bus.
SELECT {bus} FROM bus b WHERE b.id = ?

-- name: bus_of_turn
-- The bus on which the agent of a turn writes and reads.
SELECT {bus} FROM turn t JOIN bus b ON b.id = t.bus_id WHERE t.id = ?

-- name: insert_reader
-- An agent reads a bus, under its address, from the first message on.
INSERT INTO reader (bus_id, branch_id, address, label, ordinal, opened_seq, entry) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: readers_of_bus
-- Who reads a bus, in the order of opening; nobody is ever taken off.
SELECT {reader} FROM reader r WHERE r.bus_id = ? ORDER BY r.id

-- name: reader_of_branch
-- How an agent reads a bus.
SELECT {reader} FROM reader r WHERE r.bus_id = ? AND r.branch_id = ?

-- name: last_ordinal
-- The number of the newest run of a label; the entry agent is not numbered.
SELECT coalesce(max(ordinal), 0) FROM reader WHERE bus_id = ? AND label = ? AND entry = 0

-- name: move_cursor
-- Everything up to a place was looked at for a reader.
UPDATE reader SET cursor_seq = ? WHERE id = ?

-- name: place_on_bus
-- A message stands on a bus, at its next place.
UPDATE message SET selector = ?, bus_id = ?, bus_seq = ? WHERE id = ?

-- name: set_bus_seq
-- The newest place of a bus.
UPDATE bus SET seq = ? WHERE id = ?

-- name: posts_behind
-- The messages of a bus behind a place, in their order.
SELECT {post} FROM message m WHERE m.bus_id = ? AND m.bus_seq > ? ORDER BY m.bus_seq LIMIT ?

-- name: post_row
-- One message as it stands on its bus.
SELECT {post} FROM message m WHERE m.id = ? AND m.bus_id IS NOT NULL

-- name: post_of_client
-- The message on a bus that a client's own id names.
SELECT {post} FROM message m WHERE m.client_id = ? AND m.bus_id IS NOT NULL

-- name: deliveries_of_bus
-- What readers took of the messages of a bus, in the order of the messages.
SELECT {mail} FROM message m JOIN delivery d ON d.message_id = m.id WHERE m.bus_id = ? ORDER BY m.bus_seq, d.id

-- name: claims_of_bus
-- Which claims of a turn are of messages on a bus.
SELECT d.id FROM delivery d JOIN message m ON m.id = d.message_id
WHERE d.turn_id = ? AND d.state = 'claimed' AND m.bus_id IS NOT NULL

-- name: follow_up
-- The message by which a text of a bus went on as the next turn of the entry agent.
SELECT f.id FROM message o JOIN message m ON m.bus_id = o.bus_id JOIN message f ON f.reply_to_message_id = m.id
WHERE o.id = ? AND o.bus_id IS NOT NULL AND o.kind = 'user' AND f.kind = 'user'

-- name: insert_stranded
-- A message that nobody took, as it ended.
INSERT INTO delivery (message_id, recipient_branch_id, sender_branch_id, kind, mode, state, seq, reason, accepted_us,
    ended_us)
VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)

-- name: close_bus
-- The turn of a bus is over, and what nobody read is written down.
UPDATE bus SET closed_us = ?, report = ? WHERE id = ?

-- name: bus_report
-- What nobody read of the bus that a turn opened, as JSON.
SELECT b.id, b.report FROM bus b WHERE b.turn_id = ?

-- name: tasks_of_bus
-- What agents of a bus have handed out and what has not ended, the newest first.
SELECT t.id FROM turn u JOIN task t ON t.dispatcher_branch_id = u.branch_id AND t.dispatcher_turn_id = u.id
WHERE u.bus_id = ? AND t.state IN ('pending', 'queued', 'running') ORDER BY t.id DESC

-- name: grow_turn
-- The rounds of a turn begin anew.
UPDATE turn SET rounds_max = ?, extensions = ? WHERE id = ?

-- name: buses_after
-- Every bus behind a key, as the fold gives it.
SELECT id, turn_id, session_id, seq, closed_us IS NOT NULL FROM bus WHERE id > ? ORDER BY id LIMIT ?

-- name: readers_after
-- Every reader behind a key, as the fold gives it.
SELECT id, bus_id, branch_id, address, label, ordinal, opened_seq, cursor_seq, entry FROM reader
WHERE id > ? ORDER BY id LIMIT ?

-- name: mend_bus
-- A bus becomes what the log says, also one that is gone; when it was closed is told by the log.
INSERT INTO bus (id, turn_id, session_id, seq, closed_us) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET turn_id = excluded.turn_id, session_id = excluded.session_id, seq = excluded.seq,
    closed_us = CASE WHEN excluded.closed_us IS NULL THEN NULL ELSE coalesce(closed_us, excluded.closed_us) END

-- name: mend_reader
-- A reader becomes what the log says, also one that is gone.
INSERT OR REPLACE INTO reader (id, bus_id, branch_id, address, label, ordinal, opened_seq, cursor_seq, entry)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
