-- name: last_seq
-- Where a session's log ends.
SELECT max(seq) FROM event WHERE session_id = ?

-- name: insert_event
-- One entry of a session's log, in the transaction that changes the state.
INSERT INTO event (session_id, seq, ts_us, kind, actor, turn_id, payload) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: events_after
-- The log of the whole store behind a position, in commit order.
SELECT {event} FROM event WHERE pos > ? ORDER BY pos LIMIT ?

-- name: events_of_session
-- One session's log behind a number.
SELECT {event} FROM event
WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?

-- name: last_pos
-- Where the store's log ends.
SELECT max(pos) FROM event

-- name: pos_before_text
-- Where the log ended when a text of the person was accepted: the next event is the beginning of its chain, and the
-- first that names its delivery comes soon after. The kinds are those of the index.
SELECT pos - 1 FROM event WHERE kind = 'chain.began' AND pos < (
    SELECT pos FROM event WHERE json_extract(payload, '$.delivery') = ?
        AND kind IN ('message.held', 'message.accepted', 'message.claimed', 'message.released', 'message.unparked',
            'message.consumed', 'message.discarded', 'message.undelivered')
    ORDER BY pos LIMIT 1)
ORDER BY pos DESC LIMIT 1

-- name: pos_before_post
-- The same of a text that went to everyone in a turn.
SELECT pos - 1 FROM event WHERE kind = 'chain.began' AND pos < (
    SELECT pos FROM event WHERE turn_id = ? AND kind = 'bus.posted' AND json_extract(payload, '$.message') = ?)
ORDER BY pos DESC LIMIT 1

-- name: meta_value
-- One fact about the store.
SELECT value FROM meta WHERE name = ?

-- name: set_meta
-- Change one fact about the store.
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
