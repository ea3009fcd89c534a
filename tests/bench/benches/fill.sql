-- name: message
WITH RECURSIVE n (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :last)
INSERT INTO message (public_id, kind, mode, body, sender_branch_id, sender_address, sender_turn_id, chain_id,
    messages, generations, created_us)
SELECT printf('00000000-0000-7000-8000-%012x', i), 'mail', 'steer', :body, w.branch, w.handle, w.turn, 1,
    1, 0, 1700000000000000 + i
FROM n JOIN temp.worker w ON w.number = i % :workers

-- name: delivery
WITH RECURSIVE n (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :last)
INSERT INTO delivery (message_id, recipient_branch_id, sender_branch_id, kind, mode, state, seq, attempts,
    turn_id, node_id, round, recipient_state, accepted_us, ended_us)
SELECT :key + i - :first, w.peer, w.branch, 'mail', 'steer', 'consumed', i / :workers + 1, 1,
    w.turn, 1, 1, 'running', 1700000000000000 + i, 1700000000000001 + i
FROM n JOIN temp.worker w ON w.number = i % :workers

-- name: event
WITH RECURSIVE n (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :last)
INSERT INTO event (session_id, seq, ts_us, kind, actor, turn_id, payload)
SELECT w.session, w.seq + (i - :first) / :workers + 1, 1700000000000000 + i, :kind, 'branch:' || w.branch, w.turn,
    printf(:payload, i, w.peer)
FROM n JOIN temp.worker w ON w.number = i % :workers

-- name: workers
CREATE TEMP TABLE worker (number INTEGER PRIMARY KEY, session, branch, handle, turn, peer, seq)

-- name: worker
INSERT INTO temp.worker (number, session, branch, handle, turn, peer, seq)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, (SELECT coalesce(max(seq), 0) FROM event WHERE session_id = ?2)
