-- name: insert_producer
-- Work that will outlive its call is written down before it begins.
INSERT INTO producer (branch_id, turn_id, call_id, label, state, created_us) VALUES (?, ?, ?, ?, 'open', ?)

-- name: producer_row
-- One piece of work with the turn that began it, in whose chain its end is told.
SELECT p.id, p.branch_id, p.turn_id, p.call_id, p.label, p.state, t.state, t.chain_id, t.messages, t.generations,
    t.session_id
FROM producer p JOIN turn t ON t.id = p.turn_id
WHERE p.id = ?

-- name: end_producer
-- The work has ended, once, with the message that tells of it.
UPDATE producer SET state = 'ended', message_id = ?, ended_us = ? WHERE id = ? AND state = 'open'

-- name: open_producers
-- What a dead process was working on. The plus keeps SQLite to the index of what is open.
SELECT id FROM producer WHERE state = 'open' ORDER BY +id

-- name: open_producers_of_branch
-- What is being worked on for one agent.
SELECT id FROM producer WHERE branch_id = ? AND state = 'open' ORDER BY id

-- name: open_producers_of_turn
-- What one turn has begun and has not ended yet.
SELECT id FROM producer WHERE turn_id = ? AND state = 'open' ORDER BY id

-- name: insert_timer
-- A text of the person that is to be said at a time.
INSERT INTO timer (public_id, branch_id, mode, body, client_id, state, due_us, created_us)
VALUES (?, ?, ?, ?, ?, 'set', ?, ?)

-- name: timer_by_public_id
-- One timed text by the id that the person got.
SELECT {timer} FROM timer WHERE public_id = ?

-- name: timer_by_client
-- The timed text that a client's own id names.
SELECT {timer} FROM timer WHERE client_id = ?

-- name: due_timers
-- Timed texts whose time has come, oldest first.
SELECT {timer} FROM timer
WHERE state = 'set' AND due_us <= ? ORDER BY due_us, id LIMIT ?

-- name: next_due
-- When the next timed text is due.
SELECT due_us FROM timer WHERE state = 'set' ORDER BY due_us, id LIMIT 1

-- name: set_timers
-- The timed texts that wait, next first, with the agent that each is for.
SELECT r.public_id, r.due_us, r.mode, r.body, {address}, s.public_id
FROM timer r JOIN branch b ON b.id = r.branch_id JOIN session s ON s.id = b.session_id
WHERE r.state = 'set' ORDER BY r.due_us, r.id LIMIT ?

-- name: end_timer
-- A timed text was said or taken back, once.
UPDATE timer SET state = ?, message_id = ? WHERE id = ? AND state = 'set'

-- name: add_spend
-- What one answer cost goes to its agent, its chain and its day; that of a side call is no round.
INSERT INTO spend (branch_id, chain_id, day, rounds, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_micros, unpriced)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET rounds = rounds + excluded.rounds, input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
    cost_micros = cost_micros + excluded.cost_micros, unpriced = unpriced + excluded.unpriced

-- name: spend_of_tree
-- What each agent of one tree has cost.
SELECT CASE b.id WHEN s.active_branch_id THEN s.public_id ELSE {address} END, {label}, sum(p.rounds), sum(p.input_tokens), sum(p.output_tokens),
    sum(p.cache_read_tokens), sum(p.cache_write_tokens), sum(p.cost_micros), sum(p.unpriced)
FROM session s JOIN branch b ON b.session_id = s.id JOIN spend p ON p.branch_id = b.id
WHERE s.root_id = ? GROUP BY b.id ORDER BY s.id, b.id

-- name: chains_of_tree
-- The chains that the agents of one tree have worked in, newest first.
SELECT DISTINCT p.chain_id
FROM session s JOIN branch b ON b.session_id = s.id JOIN spend p ON p.branch_id = b.id
WHERE s.root_id = ? ORDER BY p.chain_id DESC

-- name: chain_before
-- The newest chain before a key in which something was spent.
SELECT max(chain_id) FROM spend WHERE chain_id < ?

-- name: spend_of_chain
-- What one chain has cost.
SELECT sum(rounds), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
    sum(cost_micros), sum(unpriced), min(branch_id)
FROM spend WHERE chain_id = ?

-- name: opening_text
-- What the person wrote to open the first turn of a branch in a chain; nothing where somebody else opened it.
SELECT m.body FROM node n JOIN message m ON m.id = n.message_id
WHERE n.turn_id = (SELECT min(id) FROM turn WHERE branch_id = ? AND chain_id = ?) AND n.provenance = 'user'
ORDER BY n.id LIMIT 1

-- name: day_before
-- The newest day before a day on which something was spent.
SELECT max(day) FROM spend WHERE day < ?

-- name: spend_of_day
-- What one day has cost.
SELECT sum(rounds), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
    sum(cost_micros), sum(unpriced)
FROM spend WHERE day = ?

-- name: spend_of_tree_on
-- What one tree has cost on one day.
SELECT sum(p.rounds), sum(p.input_tokens), sum(p.output_tokens), sum(p.cache_read_tokens),
    sum(p.cache_write_tokens), sum(p.cost_micros), sum(p.unpriced)
FROM session s JOIN branch b ON b.session_id = s.id JOIN spend p ON p.branch_id = b.id
WHERE s.root_id = ? AND p.day = ?

-- name: days_of_tree
-- The days on which the agents of one tree have spent something, newest first.
SELECT DISTINCT p.day FROM session s JOIN branch b ON b.session_id = s.id JOIN spend p ON p.branch_id = b.id
WHERE s.root_id = ? ORDER BY p.day DESC
