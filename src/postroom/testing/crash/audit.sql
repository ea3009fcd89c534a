-- name: message
-- Every message.
SELECT id, public_id, kind, mode, body, sender_branch_id, sender_turn_id, call_id, client_id, task_id, selector, bus_id,
    sender_address
FROM message ORDER BY id

-- name: bus
-- Every bus, with the agent whose turn has opened it.
SELECT b.id, b.closed_us, b.report, t.branch_id, t.state FROM bus b JOIN turn t ON t.id = b.turn_id ORDER BY b.id

-- name: delivery
-- Every delivery.
SELECT id, message_id, recipient_branch_id, sender_branch_id, kind, mode, state, seq, parked, attempts, turn_id,
    node_id, reason, reverted
FROM delivery ORDER BY id

-- name: branch
-- Every branch.
SELECT id, public_id, session_id, head_node_id, turn_id, paused_by_branch_id, n_steer, n_queue, context_chars,
    sealed_from_branch_id
FROM branch ORDER BY id

-- name: turn
-- Every turn.
SELECT id, branch_id, state, chain_id, task_id, rounds FROM turn ORDER BY id

-- name: node
-- Every node.
SELECT id, role, predecessor_id, message_id, turn_id, round, parts FROM node ORDER BY id

-- name: call
-- Every call.
SELECT id, turn_id, round, position, tool, state, result, message_id, result_delivery_id FROM call ORDER BY id

-- name: task
-- Every task.
SELECT id, state, outcome, target_branch_id, dispatcher_branch_id, result_message_id FROM task ORDER BY id

-- name: chain
-- Every chain.
SELECT id, turns, tokens FROM chain ORDER BY id

-- name: wait
-- Every wait.
SELECT call_id, branch_id, turn_id, task_id FROM wait ORDER BY call_id

-- name: event
-- The whole log.
SELECT pos, session_id, seq, kind, turn_id, payload FROM event ORDER BY pos

-- name: broken_pages
-- What the database itself finds wrong with its pages.
PRAGMA integrity_check
