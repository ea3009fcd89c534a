-- name: integrity
-- What SQLite finds wrong with the file; one row `ok` when it finds nothing.
SELECT integrity_check FROM pragma_integrity_check

-- name: reindex
-- Build every index anew from its table.
REINDEX

-- name: branches_after
-- Every branch behind a key, as the fold gives it.
SELECT id, session_id, parent_branch_id, head_node_id, turn_id, last_turn_state, paused_by_branch_id, mailbox_seq,
    n_steer, n_queue, n_notice, n_parked, n_cap, context_chars, sealed_from_branch_id, name_source, name_locked,
    name_gen_count, turns, archived_us IS NOT NULL, merged_head_node_id, rounds,
    resident_epoch = coalesce((SELECT json_extract(e.payload, '$.epoch') FROM event e
        WHERE e.session_id = 0 AND e.kind = 'process.started' ORDER BY e.seq DESC LIMIT 1), 0)
FROM branch WHERE id > ? ORDER BY id LIMIT ?

-- name: deliveries_after
-- Every delivery behind a key, as the fold gives it.
SELECT id, message_id, recipient_branch_id, sender_branch_id, kind, mode, seq, state, parked, attempts, turn_id,
    node_id, round, reason, reverted, rounds_at, expires_us
FROM delivery WHERE id > ? ORDER BY id LIMIT ?

-- name: turns_after
-- Every turn behind a key, as the fold gives it.
SELECT id, branch_id, session_id, trigger, chain_id, task_id, state, fence, end_reason, messages, generations,
    rounds, fan_out, stop_asks, answers_message_id, lineage_task_id, is_last, resumes, reviews,
    bus_id, CASE extensions WHEN 0 THEN 0 ELSE rounds_max END, extensions
FROM turn WHERE id > ? ORDER BY id LIMIT ?

-- name: tasks_after
-- Every task behind a key, as the fold gives it.
SELECT id, dispatcher_branch_id, dispatcher_turn_id, target_branch_id, parent_task_id, state, outcome, cause,
    turn_id, result_message_id, made_agent, archives
FROM task WHERE id > ? ORDER BY id LIMIT ?

-- name: calls_after
-- Every call behind a key, as the fold gives it.
SELECT id, turn_id, round, position, state, ended_by, message_id, result_delivery_id, changed_by
FROM call WHERE id > ? ORDER BY id LIMIT ?

-- name: waits_after
-- Every wait behind a key, as the fold gives it.
SELECT call_id, branch_id, turn_id, task_id, ask_id, kind, by_mail, since_pos FROM wait
WHERE call_id > ? ORDER BY call_id LIMIT ?

-- name: chains_after
-- Every chain behind a key, as the fold gives it.
SELECT id, turns, turns_max, tokens, cost_micros, messages_max, generations_max, fan_out_max, tokens_max,
    cost_micros_max
FROM chain WHERE id > ? ORDER BY id LIMIT ?

-- name: pairs_after
-- Every window of a pair behind a pair, as the fold gives it.
SELECT sender_branch_id, recipient_branch_id, unacked, held FROM pair
WHERE (sender_branch_id, recipient_branch_id) > (?, ?) ORDER BY sender_branch_id, recipient_branch_id LIMIT ?

-- name: producers_after
-- Every piece of work behind a key, as the fold gives it.
SELECT id, branch_id, turn_id, call_id, state, message_id FROM producer WHERE id > ? ORDER BY id LIMIT ?

-- name: timers_after
-- Every timed text behind a key, as the fold gives it.
SELECT id, branch_id, due_us, state, message_id FROM timer WHERE id > ? ORDER BY id LIMIT ?

-- name: spends_after
-- What was spent behind an agent, a chain and a day, as the fold gives it.
SELECT branch_id, chain_id, day, rounds, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
    cost_micros, unpriced
FROM spend WHERE (branch_id, chain_id, day) > (?, ?, ?) ORDER BY branch_id, chain_id, day LIMIT ?

-- name: rights_after
-- The rights of every session behind a key, as the fold gives them.
SELECT id, mode, overlay, attended, deleted_us IS NOT NULL, last_active_us, pruned_us IS NOT NULL, pruned_seq
FROM session
WHERE id > ? ORDER BY id LIMIT ?

-- name: asks_after
-- Every ask behind a key, as the fold gives it.
SELECT id, kind, root_id, branch_id, turn_id, call_id, action, resource, recipient_branch_id, tool, due_us, state,
    decided_by, scope, message_id
FROM ask WHERE id > ? ORDER BY id LIMIT ?

-- name: grants_after
-- Every grant behind a key, as the fold gives it.
SELECT id, root_id, action, resource, recipient_branch_id, tool, ask_id, revoked_us IS NOT NULL
FROM "grant" WHERE id > ? ORDER BY id LIMIT ?

-- name: goals_after
-- Every goal behind a key, as the fold gives it.
SELECT id, branch_id, state, reminders, message_id FROM goal WHERE id > ? ORDER BY id LIMIT ?

-- name: tokens_after
-- Every token behind a key, as the fold gives it.
SELECT id, kind, scope, expires_us, revoked_us IS NOT NULL FROM token WHERE id > ? ORDER BY id LIMIT ?

-- name: nodes_after
-- The shape of every node behind a key; an answer says how many calls it made, or -1 when it cannot be read.
SELECT id, predecessor_id, role, message_id, turn_id, round,
    CASE WHEN role <> 'assistant' THEN 0 WHEN json_valid(parts) THEN json_array_length(parts, '$.calls') ELSE -1 END,
    CASE WHEN role = 'user' AND message_id IS NULL AND json_valid(parts) THEN
        (SELECT json_group_array(json_extract(value, '$.message')) FROM json_each(parts, '$.parts')) END
FROM node WHERE id > ? ORDER BY id LIMIT ?

-- name: message_keys_after
-- The keys of all messages behind a key.
SELECT id FROM message WHERE id > ? ORDER BY id LIMIT ?

-- name: notices_after
-- Every notice to the person behind a key, as the fold gives it.
SELECT id, seen_us IS NOT NULL FROM person_notice WHERE id > ? ORDER BY id LIMIT ?

-- name: calls_without_text_after
-- The calls behind a key that have ended without a text; there should be none.
SELECT id FROM call WHERE id > ? AND state = 'ended' AND result IS NULL ORDER BY id LIMIT ?

-- name: mend_branch
-- A branch becomes what the log says.
UPDATE branch SET session_id = ?, parent_branch_id = ?, head_node_id = ?, turn_id = ?, last_turn_state = ?,
    paused_by_branch_id = ?, mailbox_seq = ?, n_steer = ?, n_queue = ?, n_notice = ?, n_parked = ?, n_cap = ?,
    context_chars = ?, sealed_from_branch_id = ?, name_source = ?, name_locked = ?, name_gen_count = ?, turns = ?,
    archived_us = CASE WHEN ? THEN coalesce(archived_us, created_us) END, merged_head_node_id = ?, rounds = ?,
    resident_epoch = CASE WHEN ? THEN coalesce((SELECT json_extract(e.payload, '$.epoch') FROM event e
        WHERE e.session_id = 0 AND e.kind = 'process.started' ORDER BY e.seq DESC LIMIT 1), 0)
    ELSE -1 END
WHERE id = ?

-- name: mend_delivery
-- A delivery becomes what the log says, also one that is gone.
INSERT INTO delivery (id, message_id, recipient_branch_id, sender_branch_id, kind, mode, seq, state, parked,
    attempts, turn_id, node_id, round, reason, reverted, rounds_at, expires_us, accepted_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id, recipient_branch_id = excluded.recipient_branch_id,
    sender_branch_id = excluded.sender_branch_id, kind = excluded.kind, mode = excluded.mode, seq = excluded.seq,
    state = excluded.state, parked = excluded.parked, attempts = excluded.attempts, turn_id = excluded.turn_id,
    node_id = excluded.node_id, round = excluded.round, reason = excluded.reason,
    reverted = excluded.reverted, rounds_at = excluded.rounds_at, expires_us = excluded.expires_us

-- name: mend_turn
-- A turn becomes what the log says.
UPDATE turn SET branch_id = ?, session_id = ?, trigger = ?, chain_id = ?, task_id = ?, state = ?, fence = ?,
    end_reason = ?, messages = ?, generations = ?, rounds = ?, fan_out = ?, stop_asks = ?,
    answers_message_id = ?, lineage_task_id = ?, is_last = ?, resumes = ?, reviews = ?, bus_id = ?,
    rounds_max = coalesce(nullif(?, 0), rounds_max), extensions = ?
WHERE id = ?

-- name: mend_task
-- A task becomes what the log says, also one that is gone; only its description is not in the log.
INSERT INTO task (id, dispatcher_branch_id, dispatcher_turn_id, target_branch_id, parent_task_id, state, outcome,
    cause, turn_id, result_message_id, made_agent, archives, public_id, description, background)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 1)
ON CONFLICT (id) DO UPDATE SET dispatcher_branch_id = excluded.dispatcher_branch_id,
    dispatcher_turn_id = excluded.dispatcher_turn_id, target_branch_id = excluded.target_branch_id,
    parent_task_id = excluded.parent_task_id, state = excluded.state, outcome = excluded.outcome,
    cause = excluded.cause, turn_id = excluded.turn_id, result_message_id = excluded.result_message_id,
    made_agent = excluded.made_agent, archives = excluded.archives

-- name: mend_call
-- A call becomes what the log says.
UPDATE call SET turn_id = ?, round = ?, position = ?, state = ?, ended_by = ?, message_id = ?,
    result_delivery_id = ?, changed_by = ?
WHERE id = ?

-- name: mend_chain
-- A chain becomes what the log says, also one that is gone.
INSERT OR REPLACE INTO chain (id, turns, turns_max, tokens, cost_micros, messages_max, generations_max, fan_out_max,
    tokens_max, cost_micros_max)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: mend_producer
-- A piece of work becomes what the log says.
UPDATE producer SET branch_id = ?, turn_id = ?, call_id = ?, state = ?, message_id = ? WHERE id = ?

-- name: mend_timer
-- A timed text becomes what the log says.
UPDATE timer SET branch_id = ?, due_us = ?, state = ?, message_id = ? WHERE id = ?

-- name: mend_spend
-- What was spent becomes what the log says, also where the row is gone.
INSERT OR REPLACE INTO spend (branch_id, chain_id, day, rounds, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_micros, unpriced)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: mend_rights
-- The rights of a tree become what the log says.
UPDATE session SET mode = ?, overlay = ?, attended = ?,
    deleted_us = CASE WHEN ? THEN coalesce(deleted_us, created_us) END, last_active_us = ?,
    pruned_us = CASE WHEN ? THEN coalesce(pruned_us, created_us) END, pruned_seq = ?
WHERE id = ?

-- name: mend_ask
-- An ask becomes what the log says; its words and its answer are not in the log and stay.
UPDATE ask SET kind = ?, root_id = ?, branch_id = ?, turn_id = ?, call_id = ?, action = ?, resource = ?,
    recipient_branch_id = ?, tool = ?, due_us = ?, state = ?, decided_by = ?, scope = ?, message_id = ?
WHERE id = ?

-- name: mend_grant
-- A grant becomes what the log says, also one that is gone; when it was given or revoked is told by the log.
INSERT INTO "grant" (id, root_id, action, resource, recipient_branch_id, tool, ask_id, granted_us, revoked_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET root_id = excluded.root_id, action = excluded.action, resource = excluded.resource,
    recipient_branch_id = excluded.recipient_branch_id, tool = excluded.tool, ask_id = excluded.ask_id,
    revoked_us = excluded.revoked_us

-- name: delete_grant
-- A right that nobody gave.
DELETE FROM "grant" WHERE id = ?

-- name: mend_goal
-- A goal becomes what the log says; its words and its list are not in the log and stay.
UPDATE goal SET branch_id = ?, state = ?, reminders = ?, message_id = ? WHERE id = ?

-- name: mend_token
-- A token becomes what the log says; its name and its hash are not in the log and stay.
UPDATE token SET kind = ?, scope = ?, expires_us = ?,
    revoked_us = CASE WHEN ? THEN coalesce(revoked_us, created_us) END
WHERE id = ?

-- name: mend_notice
-- Whether a notice was read becomes what the log says.
UPDATE person_notice SET seen_us = CASE WHEN ? THEN coalesce(seen_us, created_us) END WHERE id = ?

-- name: delete_token
-- A token that nobody handed out.
DELETE FROM token WHERE id = ?

-- name: mend_pair
-- The window of a pair becomes what the log says, also one that is gone.
INSERT OR REPLACE INTO pair (sender_branch_id, recipient_branch_id, unacked, held) VALUES (?, ?, ?, ?)
