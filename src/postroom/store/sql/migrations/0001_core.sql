-- Migration 1, before the new code: the core tables.
-- Times are integer microseconds, keys are integers, a public id is stored once as text.
-- `message` and `node` are immutable and part of the log; the rest is what folding the log gives.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE policy (
    id INTEGER PRIMARY KEY,
    body TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    root_id INTEGER NOT NULL,
    parent_id INTEGER,
    parent_turn_id INTEGER,
    origin TEXT NOT NULL CHECK (origin IN ('person', 'delegation')),
    handle TEXT,
    title TEXT NOT NULL,
    cwd TEXT NOT NULL,
    team TEXT NOT NULL,
    policy_id INTEGER NOT NULL REFERENCES policy (id),
    depth INTEGER NOT NULL,
    active_branch_id INTEGER,
    created_us INTEGER NOT NULL,
    UNIQUE (root_id, handle)
) STRICT;
CREATE INDEX session_handle ON session (handle) WHERE handle IS NOT NULL;
CREATE INDEX session_tree ON session (root_id, id);
CREATE INDEX session_roots ON session (id) WHERE parent_id IS NULL;

CREATE TABLE branch (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES session (id),
    name TEXT NOT NULL,
    profile TEXT NOT NULL,
    parent_branch_id INTEGER,
    made_by_call_id INTEGER,
    head_node_id INTEGER,
    turn_id INTEGER,
    last_turn_state TEXT NOT NULL DEFAULT '',
    context_chars INTEGER NOT NULL DEFAULT 0,
    paused_by_branch_id INTEGER,
    mailbox_seq INTEGER NOT NULL DEFAULT 0,
    n_steer INTEGER NOT NULL DEFAULT 0,
    n_queue INTEGER NOT NULL DEFAULT 0,
    n_notice INTEGER NOT NULL DEFAULT 0,
    n_parked INTEGER NOT NULL DEFAULT 0,
    n_cap INTEGER NOT NULL DEFAULT 0,
    created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX branch_session ON branch (session_id);
CREATE INDEX branch_parent ON branch (parent_branch_id) WHERE parent_branch_id IS NOT NULL;
CREATE INDEX branch_paused ON branch (paused_by_branch_id) WHERE paused_by_branch_id IS NOT NULL;
CREATE INDEX branch_parked ON branch (id) WHERE n_parked > 0;
CREATE INDEX branch_runnable ON branch (id)
    WHERE turn_id IS NULL AND paused_by_branch_id IS NULL AND n_steer + n_queue > 0;

CREATE TABLE chain (
    id INTEGER PRIMARY KEY,
    turns INTEGER NOT NULL DEFAULT 0,
    turns_max INTEGER,
    tokens INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    branch_id INTEGER NOT NULL REFERENCES branch (id),
    session_id INTEGER NOT NULL,
    root_id INTEGER NOT NULL,
    trigger TEXT NOT NULL CHECK (trigger IN ('user', 'mail', 'task', 'resume')),
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
CREATE INDEX turn_branch ON turn (branch_id, id);
CREATE INDEX turn_waiting ON turn (root_id) WHERE state = 'waiting';
CREATE INDEX turn_running_tree ON turn (root_id) WHERE state = 'running';
CREATE INDEX turn_running ON turn (id) WHERE state = 'running';
CREATE INDEX turn_suspended ON turn (id) WHERE state = 'suspended';

CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'agent', 'system')),
    predecessor_id INTEGER,
    caller_id INTEGER,
    message_id INTEGER,
    turn_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    parts TEXT NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;

CREATE INDEX node_turn ON node (turn_id, id);

CREATE TABLE call (
    id INTEGER PRIMARY KEY,
    turn_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    provider_call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'ended')),
    ended_by TEXT NOT NULL DEFAULT '',
    result TEXT,
    is_error INTEGER NOT NULL DEFAULT 0,
    message_id INTEGER,
    result_delivery_id INTEGER,
    UNIQUE (turn_id, round, position)
) STRICT;
CREATE INDEX call_open ON call (turn_id) WHERE state = 'open';

CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'prompt', 'mail', 'result', 'notice')),
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
CREATE UNIQUE INDEX message_client ON message (client_id) WHERE client_id IS NOT NULL;

CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,
    message_id INTEGER NOT NULL REFERENCES message (id),
    recipient_branch_id INTEGER NOT NULL,
    sender_branch_id INTEGER,
    kind TEXT NOT NULL,
    mode TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('accepted', 'claimed', 'consumed', 'discarded')),
    seq INTEGER NOT NULL,
    parked INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    turn_id INTEGER,
    node_id INTEGER,
    round INTEGER,
    reason TEXT NOT NULL DEFAULT '',
    recipient_state TEXT NOT NULL DEFAULT '',
    accepted_us INTEGER NOT NULL,
    ended_us INTEGER
) STRICT;
CREATE INDEX delivery_recipient ON delivery (recipient_branch_id, id);
CREATE INDEX delivery_message ON delivery (message_id);
CREATE INDEX delivery_accepted ON delivery (recipient_branch_id, seq) WHERE state = 'accepted';
CREATE INDEX delivery_claimed ON delivery (turn_id) WHERE state = 'claimed';

CREATE TABLE pair (
    sender_branch_id INTEGER NOT NULL,
    recipient_branch_id INTEGER NOT NULL,
    unacked INTEGER NOT NULL,
    PRIMARY KEY (sender_branch_id, recipient_branch_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE task (
    id INTEGER PRIMARY KEY REFERENCES message (id),
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'errored', 'cancelled')),
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
    ended_us INTEGER
) STRICT;
CREATE INDEX task_parent ON task (parent_task_id) WHERE parent_task_id IS NOT NULL;
CREATE INDEX task_target ON task (target_branch_id, id);

CREATE TABLE wait (
    call_id INTEGER PRIMARY KEY,
    branch_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL,
    task_id INTEGER NOT NULL
) STRICT;
CREATE INDEX wait_branch ON wait (branch_id);
CREATE INDEX wait_task ON wait (task_id);

CREATE TABLE person_notice (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    code TEXT NOT NULL,
    body TEXT NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;

CREATE TABLE event (
    pos INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ts_us INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    turn_id INTEGER,
    payload TEXT NOT NULL,
    UNIQUE (session_id, seq)
) STRICT;
