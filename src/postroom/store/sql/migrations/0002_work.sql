-- Migration 2, before the new code: work that outlives its call, timed texts, spend, pictures, search.
-- `message`, `node` and `turn` are written anew, because SQLite cannot change a CHECK: their lists of
-- kinds are now those of the whole glossary.

CREATE TABLE message_2 (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'prompt', 'mail', 'task', 'reply', 'result', 'notice',
        'plugin', 'goal')),
    mode TEXT NOT NULL CHECK (mode IN ('steer', 'queue')),
    body TEXT NOT NULL,
    facts TEXT NOT NULL DEFAULT '',
    sender_branch_id INTEGER,
    sender_address TEXT NOT NULL,
    sender_turn_id INTEGER,
    call_id INTEGER,
    client_id TEXT,
    task_id INTEGER,
    reply_to_message_id INTEGER,
    chain_id INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    generations INTEGER NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;
INSERT INTO message_2 SELECT * FROM message;
DROP TABLE message;
ALTER TABLE message_2 RENAME TO message;
CREATE UNIQUE INDEX message_client ON message (client_id) WHERE client_id IS NOT NULL;

CREATE TABLE node_2 (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'agent', 'system', 'plugin')),
    predecessor_id INTEGER,
    caller_id INTEGER,
    message_id INTEGER,
    turn_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    parts TEXT NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;
INSERT INTO node_2 SELECT * FROM node;
DROP TABLE node;
ALTER TABLE node_2 RENAME TO node;
CREATE INDEX node_turn ON node (turn_id, id);

CREATE TABLE turn_2 (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    branch_id INTEGER NOT NULL REFERENCES branch (id),
    session_id INTEGER NOT NULL,
    root_id INTEGER NOT NULL,
    trigger TEXT NOT NULL CHECK (trigger IN ('user', 'mail', 'task', 'resume', 'plugin')),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'suspended', 'finished', 'failed',
        'cancelled', 'stopped', 'interrupted')),
    end_reason TEXT NOT NULL DEFAULT '',
    fence INTEGER NOT NULL DEFAULT 0,
    chain_id INTEGER NOT NULL,
    task_id INTEGER,
    messages INTEGER NOT NULL DEFAULT 0,
    generations INTEGER NOT NULL DEFAULT 0,
    rounds INTEGER NOT NULL DEFAULT 0,
    rounds_max INTEGER NOT NULL,
    tools TEXT NOT NULL DEFAULT '[]',
    opened_us INTEGER NOT NULL,
    ended_us INTEGER
) STRICT;
INSERT INTO turn_2 SELECT * FROM turn;
DROP TABLE turn;
ALTER TABLE turn_2 RENAME TO turn;
CREATE INDEX turn_branch ON turn (branch_id, id);
CREATE INDEX turn_waiting ON turn (root_id) WHERE state = 'waiting';
CREATE INDEX turn_running_tree ON turn (root_id) WHERE state = 'running';
CREATE INDEX turn_running ON turn (id) WHERE state = 'running';
CREATE INDEX turn_suspended ON turn (id) WHERE state = 'suspended';

-- Pictures that a result holds beside its text: a JSON list of {media_type, data}, the data in base64.
ALTER TABLE call ADD COLUMN images TEXT;

-- Work that goes on after the call that began it; its row is there before the work begins.
CREATE TABLE producer (
    id INTEGER PRIMARY KEY,
    branch_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL,
    call_id INTEGER NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'ended')),
    message_id INTEGER,
    created_us INTEGER NOT NULL,
    ended_us INTEGER
) STRICT;
CREATE INDEX producer_open ON producer (branch_id) WHERE state = 'open';
CREATE INDEX producer_open_turn ON producer (turn_id) WHERE state = 'open';

-- The person's texts that are to be said later; due times are wall time.
CREATE TABLE timer (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    branch_id INTEGER NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('steer', 'queue')),
    body TEXT NOT NULL,
    client_id TEXT,
    state TEXT NOT NULL CHECK (state IN ('set', 'fired', 'cancelled')),
    due_us INTEGER NOT NULL,
    message_id INTEGER,
    created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX timer_due ON timer (due_us, id) WHERE state = 'set';
CREATE UNIQUE INDEX timer_client ON timer (client_id) WHERE client_id IS NOT NULL;

-- What answers cost, by agent, chain and UTC day (days since 1970-01-01); the log gives the same sums.
CREATE TABLE spend (
    branch_id INTEGER NOT NULL,
    chain_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    PRIMARY KEY (branch_id, chain_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_chain ON spend (chain_id);
CREATE INDEX spend_day ON spend (day);
ALTER TABLE chain ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0;

-- Words of bodies, answers and results, for search. It holds no text: a row's number says where the text
-- is, as twice the key of the message, or twice the key of the node and one. `meta` says how far it goes.
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
