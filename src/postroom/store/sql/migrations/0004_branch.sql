-- Migration 4, before the new code: sessions of several branches, archives, held mail, budgets of chains,
-- summaries, boards of todos.
-- `delivery`, `task` and `node` are written anew, because SQLite cannot change a CHECK.

CREATE TABLE delivery_4 (
    id INTEGER PRIMARY KEY,
    message_id INTEGER NOT NULL REFERENCES message (id),
    recipient_branch_id INTEGER NOT NULL,
    sender_branch_id INTEGER,
    kind TEXT NOT NULL,
    mode TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('held', 'accepted', 'claimed', 'consumed', 'discarded',
        'undelivered')),
    seq INTEGER NOT NULL,
    parked INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    turn_id INTEGER,
    node_id INTEGER,
    round INTEGER,
    reason TEXT NOT NULL DEFAULT '',
    recipient_state TEXT NOT NULL DEFAULT '',
    accepted_us INTEGER NOT NULL,
    ended_us INTEGER,
    reverted INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO delivery_4 SELECT * FROM delivery;
DROP TABLE delivery;
ALTER TABLE delivery_4 RENAME TO delivery;
CREATE INDEX delivery_recipient ON delivery (recipient_branch_id, id);
CREATE INDEX delivery_message ON delivery (message_id);
CREATE INDEX delivery_accepted ON delivery (recipient_branch_id, seq) WHERE state = 'accepted';
CREATE INDEX delivery_claimed ON delivery (turn_id) WHERE state = 'claimed';
CREATE INDEX delivery_held ON delivery (sender_branch_id, recipient_branch_id, id) WHERE state = 'held';

CREATE TABLE task_4 (
    id INTEGER PRIMARY KEY REFERENCES message (id),
    public_id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'queued', 'running', 'completed', 'errored',
        'cancelled')),
    outcome TEXT NOT NULL DEFAULT '',
    dispatcher_branch_id INTEGER NOT NULL,
    dispatcher_turn_id INTEGER NOT NULL,
    target_branch_id INTEGER NOT NULL,
    parent_task_id INTEGER,
    turn_id INTEGER,
    description TEXT NOT NULL,
    background INTEGER NOT NULL,
    cause TEXT NOT NULL DEFAULT '',
    result TEXT NOT NULL DEFAULT '',
    result_message_id INTEGER,
    ended_us INTEGER,
    made_agent INTEGER NOT NULL DEFAULT 1,
    archives INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO task_4 SELECT id, 't_' || lower(hex(randomblob(7))), state, outcome, dispatcher_branch_id,
    dispatcher_turn_id, target_branch_id, parent_task_id, turn_id, description, background, cause, result,
    result_message_id, ended_us, 1, 0 FROM task;
DROP TABLE task;
ALTER TABLE task_4 RENAME TO task;
CREATE INDEX task_parent ON task (parent_task_id) WHERE parent_task_id IS NOT NULL;
CREATE INDEX task_target ON task (target_branch_id, id);
CREATE INDEX task_dispatcher ON task (dispatcher_branch_id, id);
CREATE INDEX task_running ON task (id) WHERE state = 'running';

CREATE TABLE node_4 (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'summary', 'attach')),
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'agent', 'system', 'plugin')),
    predecessor_id INTEGER,
    caller_id INTEGER,
    message_id INTEGER,
    turn_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    parts TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    said INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO node_4 SELECT *, 0 FROM node;
DROP TABLE node;
ALTER TABLE node_4 RENAME TO node;
-- How much was said up to a node: the texts and answers of its path, itself among them.
CREATE INDEX node_next ON node (predecessor_id);
WITH RECURSIVE path (id, said) AS (
    SELECT id, role IN ('user', 'assistant') FROM node WHERE predecessor_id IS NULL
    UNION ALL
    SELECT n.id, p.said + (n.role IN ('user', 'assistant')) FROM path p JOIN node n ON n.predecessor_id = p.id
)
UPDATE node SET said = path.said FROM path WHERE path.id = node.id;
DROP INDEX node_next;
CREATE INDEX node_turn ON node (turn_id, id);
CREATE INDEX node_attach ON node (predecessor_id, id) WHERE role = 'attach';

-- Who gave a branch its name, and how often a model was asked for one.
ALTER TABLE branch ADD COLUMN name_source TEXT NOT NULL DEFAULT ''
    CHECK (name_source IN ('', 'label', 'auto', 'user'));
ALTER TABLE branch ADD COLUMN name_locked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE branch ADD COLUMN name_gen_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE branch ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
-- A turn that never started has moved its fence once, at its end.
UPDATE branch SET turns = (SELECT count(*) FROM turn t
    WHERE t.branch_id = branch.id AND t.ended_us IS NOT NULL AND t.fence > 1);
-- An internal branch was made by a call, not by the person.
ALTER TABLE branch ADD COLUMN internal INTEGER NOT NULL DEFAULT 0;
-- The node of the call that made a branch which begins without a conversation.
ALTER TABLE branch ADD COLUMN caller_node_id INTEGER;
ALTER TABLE branch ADD COLUMN archived_us INTEGER;
ALTER TABLE branch ADD COLUMN archived_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE branch ADD COLUMN merged_head_node_id INTEGER;
-- Rights of the agents that made it: a JSON list of layers of rules, each of which only narrows.
ALTER TABLE branch ADD COLUMN limits TEXT NOT NULL DEFAULT '[]';
-- What a branch was called when it was made: whoever made it may still call it so.
ALTER TABLE branch ADD COLUMN label TEXT NOT NULL DEFAULT '';
-- Where its maker works, of an agent that was made in another one's session; empty: where its session works.
ALTER TABLE branch ADD COLUMN cwd TEXT NOT NULL DEFAULT '';
CREATE INDEX branch_label ON branch (session_id, label) WHERE label <> '';
CREATE INDEX branch_name ON branch (name, id) WHERE name_source <> '';
CREATE INDEX branch_line ON branch (session_id, name) WHERE name_source <> '';

ALTER TABLE session ADD COLUMN deleted_us INTEGER;
ALTER TABLE session ADD COLUMN last_active_us INTEGER NOT NULL DEFAULT 0;
UPDATE session SET last_active_us = coalesce(
    (SELECT e.ts_us FROM event e WHERE e.session_id = session.id AND e.kind IN ('turn.waiting', 'turn.ended')
        ORDER BY e.seq DESC LIMIT 1), created_us);
CREATE INDEX session_active ON session (last_active_us, id) WHERE deleted_us IS NULL;
CREATE INDEX session_forked ON session (forked_from_node_id) WHERE forked_from_node_id IS NOT NULL;
CREATE INDEX timer_branch ON timer (branch_id, id);
CREATE INDEX task_retires ON task (target_branch_id) WHERE archives = 1;

-- Limits of a chain, fixed when it is born; NULL is no limit.
ALTER TABLE chain ADD COLUMN messages_max INTEGER;
ALTER TABLE chain ADD COLUMN generations_max INTEGER;
ALTER TABLE chain ADD COLUMN fan_out_max INTEGER;
ALTER TABLE chain ADD COLUMN tokens_max INTEGER;
ALTER TABLE chain ADD COLUMN cost_micros_max INTEGER;

-- The mail that a turn answers, the task under which it runs, and as whom, if not as its branch's profile.
ALTER TABLE turn ADD COLUMN answers_message_id INTEGER;
ALTER TABLE turn ADD COLUMN lineage_task_id INTEGER;
ALTER TABLE turn ADD COLUMN profile TEXT NOT NULL DEFAULT '';
-- What it may do at most, if it runs as another; empty: what its branch may.
ALTER TABLE turn ADD COLUMN limits TEXT NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN fan_out INTEGER NOT NULL DEFAULT 0;
-- How often in a row a gate has kept the turn from ending.
ALTER TABLE turn ADD COLUMN stop_asks INTEGER NOT NULL DEFAULT 0;
-- One that has not started has no line yet.
UPDATE turn SET lineage_task_id = task_id WHERE state IN ('running', 'suspended') OR fence > 1;

-- Whether a sender is owed an automatic answer, and as whom the recipient is to run.
ALTER TABLE message ADD COLUMN owes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN profile TEXT NOT NULL DEFAULT '';
UPDATE message SET owes = 1 WHERE kind = 'prompt';

-- The held message that an ask is asked for, if it is asked for one.
ALTER TABLE ask ADD COLUMN message_id INTEGER;
CREATE INDEX ask_message ON ask (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE todo (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    subject TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed')),
    owner_branch_id INTEGER NOT NULL,
    blocked_by TEXT NOT NULL DEFAULT '[]',
    created_us INTEGER NOT NULL,
    updated_us INTEGER NOT NULL,
    UNIQUE (session_id, number)
) STRICT;

-- The life of a delivery begins where it is held.
DROP INDEX event_delivery;
CREATE INDEX event_delivery ON event (json_extract(payload, '$.delivery'), pos)
    WHERE kind IN ('message.held', 'message.accepted', 'message.claimed', 'message.released', 'message.unparked',
        'message.consumed', 'message.discarded');
