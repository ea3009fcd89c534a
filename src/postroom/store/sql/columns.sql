-- The columns of rows that several statements read, each list in the order of the type that it becomes.
-- A statement names its list in braces.

-- columns: event
-- `domain.event.Event`: one entry of a log.
pos, session_id, seq, ts_us, kind, actor, turn_id, payload

-- columns: session
-- `domain.session.Session`: a conversation of one agent.
id, public_id, root_id, parent_id, handle, title, cwd, team, policy_id, depth, active_branch_id, created_us,
mode, overlay, attended

-- columns: recipient
-- `store.rows.RecipientRow`: a branch as accept needs it.
b.id, b.parent_branch_id, b.turn_id, b.last_turn_state, b.paused_by_branch_id, b.mailbox_seq, b.n_steer,
b.n_queue, b.n_notice, b.n_parked, b.n_cap, b.profile, s.id, s.root_id, s.public_id, s.policy_id, s.team,
t.state, p.unacked, s.handle, b.public_id, b.name, b.archived_us, s.active_branch_id = b.id, b.rounds,
p.held, b.resident_epoch

-- columns: sent
-- `store.rows.SentRow`: a message that was accepted, with its receipt.
m.id, m.public_id, m.body, d.mode, d.recipient_branch_id, d.recipient_state, d.state, d.seq,
d.reason

-- columns: mail
-- `store.rows.Mail`: a delivery with what a node of it needs.
d.id, d.message_id, d.recipient_branch_id, d.sender_branch_id, d.kind, d.mode, d.state, d.seq, m.chain_id,
m.messages, m.generations, d.attempts, d.parked, m.owes, d.turn_id, d.node_id, m.sender_address, m.body, m.facts,
m.created_us, m.reply_to_message_id, d.rounds_at

-- columns: viewed
-- `store.tx_views.MessageRow`: a message as the person sees it.
m.public_id, m.kind, m.mode, m.body, m.sender_branch_id, m.sender_address, m.created_us, d.recipient_branch_id,
d.state, d.parked, d.attempts, d.round, d.reason, coalesce(t.public_id, ''), d.reverted

-- columns: held
-- `store.rows.Held`: a held delivery with what its acceptance needs.
d.id, d.message_id, d.recipient_branch_id, d.sender_branch_id, d.kind, d.mode, d.state, d.seq, m.chain_id,
m.messages, m.generations, d.attempts, d.parked, m.owes, d.turn_id, d.node_id, m.body, m.call_id, m.sender_turn_id,
m.profile, c.tool, b.session_id, d.reason

-- columns: turn
-- `store.rows.TurnRow`: a turn with its branch and session.
t.id, t.public_id, t.branch_id, t.session_id, t.root_id, t.state, t.fence, t.chain_id, t.task_id, t.messages,
t.generations, t.rounds, t.rounds_max, t.tools, CASE t.profile WHEN '' THEN b.profile ELSE t.profile END, s.team,
s.policy_id, s.public_id, s.handle, CASE b.cwd WHEN '' THEN s.cwd ELSE b.cwd END, b.public_id, b.context_chars, t.trigger, t.answers_message_id,
t.lineage_task_id, t.stop_asks, CASE t.limits WHEN '' THEN b.limits ELSE t.limits END, t.is_last, t.resumes, t.reviews,
b.resident_epoch, t.bus_id, t.extensions

-- columns: chain
-- `domain.chain.Chain`: totals, then limits.
h.turns, h.tokens, h.cost_micros, h.turns_max, h.messages_max, h.generations_max, h.fan_out_max, h.tokens_max,
h.cost_micros_max

-- columns: bus
-- `store.tx_rosters.Bus`: the bus of a turn.
b.id, b.turn_id, b.session_id, b.seq, b.closed_us

-- columns: reader
-- `store.tx_rosters.Reader`: an agent as it reads a bus.
r.id, r.bus_id, r.branch_id, r.address, r.label, r.ordinal, r.opened_seq, r.cursor_seq, r.entry

-- columns: post
-- `store.tx_rosters.Post`: a message as it stands on its bus.
m.id, m.public_id, m.kind, m.mode, m.body, m.selector, m.bus_id, m.bus_seq, m.sender_branch_id, m.sender_address,
m.chain_id, m.messages, m.generations, m.client_id

-- columns: node
-- `domain.node.Node`: one item of a conversation. Several messages that share it give a list of their bodies.
n.id, n.role, n.provenance, n.parts, n.message_id,
CASE WHEN n.message_id IS NULL AND n.role = 'user' THEN (SELECT json_group_array(o.body)
    FROM json_each(n.parts, '$.parts') j JOIN message o ON o.id = json_extract(j.value, '$.message')) ELSE m.body END,
n.turn_id, n.round

-- columns: task
-- `domain.task.Task`: a message whose answer is awaited.
id, state, outcome, dispatcher_branch_id, dispatcher_turn_id, target_branch_id, parent_task_id, turn_id,
description, background, cause, result, result_message_id, public_id, made_agent, archives

-- columns: made_call
-- `store.tx_why.MadeCall`: a call as the model made it.
id, turn_id, round, position, tool, arguments, changed_arguments, changed_by, is_error

-- columns: timer
-- `store.tx_work.TimerRow`: a text for later.
id, public_id, branch_id, mode, body, state, due_us

-- columns: ask
-- `domain.ask.Ask`: what the person is asked.
id, public_id, kind, root_id, session_id, branch_id, turn_id, call_id, action, resource, recipient_branch_id,
tool, text, options, state, decided_by, scope, answer, requested_us, due_us, decided_us, message_id

-- columns: wait
-- `store.tx_waits.Wait`: a call that waits, and when it ends.
call_id, task_id, ask_id, kind, by_mail, since_pos

-- columns: goal
-- `domain.goal.Goal`: what an agent has set out to do.
id, public_id, branch_id, text, items, state, reminders, message_id

-- columns: todo
-- `domain.todo.Todo`: an entry of a board.
id, number, subject, description, status, owner_branch_id, blocked_by

-- columns: token
-- `domain.token.Token`: who may call the API.
id, public_id, kind, name, scope, created_us, last_used_us, expires_us, revoked_us

-- columns: listed
-- `store.tx_lists.ListedBranch`: an agent as a list shows it.
b.id, b.public_id, b.name, b.name_source, b.profile, b.head_node_id, coalesce(n.said, 0), b.context_chars, b.turn_id,
t.state, b.last_turn_state, b.paused_by_branch_id, b.archived_us, b.archived_reason, b.merged_head_node_id, b.internal

-- columns: listed_session
-- `store.tx_lists.ListedSession`: a session as a list shows it.
s.id, s.public_id, s.root_id, s.handle, s.title, s.origin, s.policy_id, b.profile, s.last_active_us, s.active_branch_id

-- columns: lineup
-- `store.tx_lists.LineupRow`: an agent as those around it see it.
s.id, s.public_id, s.root_id, s.policy_id, s.handle, s.last_active_us, b.id, b.public_id, s.active_branch_id = b.id,
CASE b.name_source WHEN '' THEN '' ELSE b.name END, b.profile, b.paused_by_branch_id, t.state, b.last_turn_state,
CASE coalesce(k.description, '') WHEN '' THEN s.title ELSE k.description END

-- columns: label
-- How the agent of a branch `b` in its session `s` is shown to the person.
coalesce(CASE b.id WHEN s.active_branch_id THEN s.handle END, CASE b.name_source WHEN '' THEN NULL ELSE b.name END,
b.profile)

-- columns: address
-- What means this agent, and no other one, when a person types it.
CASE b.id WHEN s.active_branch_id THEN coalesce(s.handle, s.public_id) ELSE s.public_id || ':' || b.public_id END

-- columns: neighbour
-- `store.tx_neighbours.Neighbour`: an agent as those beside it see it.
s.id, s.public_id, s.root_id, s.policy_id, s.title, s.cwd, s.team, s.origin, s.forked_from_node_id IS NOT NULL,
s.last_active_us, s.deleted_us IS NOT NULL, b.id, b.parent_branch_id, CASE b.name_source WHEN '' THEN '' ELSE b.name END,
b.profile, b.paused_by_branch_id IS NOT NULL, t.state, b.last_turn_state, b.archived_us IS NOT NULL, b.turns, b.turn_id,
b.n_steer + b.n_queue + b.n_notice + b.n_parked

-- columns: news_kinds
-- `domain.event.EventKind`: what is told of how an agent stands.
'turn.waiting', 'turn.started', 'turn.suspended', 'turn.resumed', 'turn.ended', 'branch.paused', 'branch.unpaused',
'branch.archived'

-- columns: told_task
-- `store.tx_lists.ToldTask`: a task as the person sees it. One without a description is known by its text.
t.public_id, t.state, t.outcome, t.cause, CASE t.description WHEN '' THEN substr(m.body, 1, 200) ELSE t.description END,
t.dispatcher_branch_id, t.target_branch_id, m.public_id, m.created_us, t.ended_us

-- columns: told_turn
-- `store.tx_transcript.ToldTurn`: a turn `t`, its task `k` and the bus `u` that it opened, with its newest item.
t.id, t.public_id, t.branch_id, t.trigger, t.state, t.end_reason, t.rounds, t.rounds_max, t.chain_id, t.opened_us,
t.ended_us, t.answers_message_id, coalesce(k.public_id, ''), k.result_message_id, u.id, coalesce(u.report, '[]'),
u.closed_us, coalesce((SELECT n.id FROM node n WHERE n.turn_id = t.id AND n.role <> 'attach' ORDER BY n.id DESC LIMIT 1), 0)

-- columns: told_call
-- `store.tx_transcript.ToldCall`: a call with the beginnings of its texts, and how long each is.
c.id, c.turn_id, c.round, c.position, c.tool, substr(c.arguments, 1, ?), length(c.arguments),
substr(coalesce(c.changed_arguments, ''), 1, ?), length(coalesce(c.changed_arguments, '')), coalesce(c.changed_by, ''),
c.state, c.ended_by, substr(coalesce(c.result, ''), 1, ?), length(coalesce(c.result, '')), c.is_error, c.message_id,
coalesce(json_array_length(c.images), 0)

-- columns: shown_session
-- `store.tx_pages.ShownSession`: a session `s` with the root `r` of its tree, its agent and what waits for whom.
s.id, s.public_id, r.public_id, s.handle, s.title, s.cwd, s.team, s.policy_id, s.origin, s.created_us, s.last_active_us,
b.public_id, b.profile, coalesce(t.state, ''), b.last_turn_state, b.paused_by_branch_id, b.archived_us,
(SELECT coalesce(sum(o.n_steer + o.n_queue + o.n_notice + o.n_parked), 0) FROM branch o WHERE o.session_id = s.id),
(SELECT count(*) FROM ask q WHERE q.root_id = s.root_id AND q.state = 'open' AND (s.id = s.root_id OR q.session_id = s.id))
