-- Migration 3, before the new code: asks and grants, rights of a tree, goals, changed calls, forks and reverts.

-- What a tree may do beyond its profiles is kept at its root session: how asks are decided, and the
-- person's rules on top (JSON list of [action, pattern, effect]). `attended`: somebody is there to answer.
ALTER TABLE session ADD COLUMN mode TEXT NOT NULL DEFAULT 'ask'
    CHECK (mode IN ('auto_approve', 'auto_approve_n', 'auto_approve_y', 'ask', 'yolo'));
ALTER TABLE session ADD COLUMN overlay TEXT NOT NULL DEFAULT '[]';
ALTER TABLE session ADD COLUMN attended INTEGER NOT NULL DEFAULT 1;
-- A fork begins at a node of another session.
ALTER TABLE session ADD COLUMN forked_from_node_id INTEGER;

-- A sealed branch is the path that a revert of another one left: readable, forkable, never run.
ALTER TABLE branch ADD COLUMN sealed_us INTEGER;
ALTER TABLE branch ADD COLUMN sealed_from_branch_id INTEGER;
-- Read, and a revert has left the part of the conversation where it stands.
ALTER TABLE delivery ADD COLUMN reverted INTEGER NOT NULL DEFAULT 0;

-- The arguments that a hook put in the place of the model's, and which hook; the model's stay beside them.
ALTER TABLE call ADD COLUMN changed_arguments TEXT;
ALTER TABLE call ADD COLUMN changed_by TEXT;

-- What the person is asked: leave for one call (approval), or a question of an agent (question).
CREATE TABLE ask (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('approval', 'question')),
    root_id INTEGER NOT NULL,
    session_id INTEGER NOT NULL,
    branch_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL,
    call_id INTEGER NOT NULL,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    recipient_branch_id INTEGER,
    tool TEXT NOT NULL,
    text TEXT NOT NULL,
    options TEXT NOT NULL DEFAULT '[]',
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'expired', 'withdrawn', 'answered')),
    decided_by TEXT NOT NULL DEFAULT '',
    scope TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL DEFAULT '',
    requested_us INTEGER NOT NULL,
    due_us INTEGER,
    decided_us INTEGER
) STRICT;
CREATE INDEX ask_open ON ask (root_id, id) WHERE state = 'open';
CREATE INDEX ask_open_turn ON ask (turn_id) WHERE state = 'open';
CREATE INDEX ask_due ON ask (due_us, id) WHERE state = 'open' AND due_us IS NOT NULL;
CREATE INDEX ask_call ON ask (call_id, id);
CREATE INDEX ask_root ON ask (root_id, id);
-- The person names an ask by the end of its id: its beginning is only the time.
CREATE INDEX ask_tail ON ask (substr(public_id, -8));

-- What the person has allowed for a whole tree; a tightened overlay revokes it.
CREATE TABLE "grant" (
    id INTEGER PRIMARY KEY,
    root_id INTEGER NOT NULL,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    recipient_branch_id INTEGER,
    tool TEXT NOT NULL,
    ask_id INTEGER NOT NULL,
    granted_us INTEGER NOT NULL,
    revoked_us INTEGER
) STRICT;
CREATE INDEX grant_live ON "grant" (root_id, id) WHERE revoked_us IS NULL;

-- A call may wait for a task, or for the person.
CREATE TABLE wait_3 (
    call_id INTEGER PRIMARY KEY,
    branch_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL,
    task_id INTEGER,
    ask_id INTEGER
) STRICT;
INSERT INTO wait_3 (call_id, branch_id, turn_id, task_id) SELECT call_id, branch_id, turn_id, task_id FROM wait;
DROP TABLE wait;
ALTER TABLE wait_3 RENAME TO wait;
CREATE INDEX wait_branch ON wait (branch_id);
CREATE INDEX wait_task ON wait (task_id) WHERE task_id IS NOT NULL;

-- What a root agent has set out to do; `items` is a JSON list of {text, done}. `reminders` counts those
-- since the list last changed.
CREATE TABLE goal (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    branch_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    items TEXT NOT NULL DEFAULT '[]',
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'completed', 'cancelled')),
    reminders INTEGER NOT NULL DEFAULT 0,
    message_id INTEGER,
    created_us INTEGER NOT NULL,
    ended_us INTEGER
) STRICT;
CREATE UNIQUE INDEX goal_open ON goal (branch_id) WHERE state IN ('active', 'paused');
CREATE INDEX goal_branch ON goal (branch_id, id);

-- Why something happened is looked up by turn and by delivery; the log itself is only in the order of time.
CREATE INDEX event_turn ON event (turn_id, pos) WHERE turn_id IS NOT NULL;
CREATE INDEX event_delivery ON event (json_extract(payload, '$.delivery'), pos)
    WHERE kind IN ('message.accepted', 'message.claimed', 'message.released', 'message.unparked',
        'message.consumed', 'message.discarded');
CREATE INDEX event_rare ON event (session_id, pos)
    WHERE kind IN ('branch.reverted', 'branch.cancelled', 'goal.reminded', 'grant.given', 'grant.revoked');
CREATE INDEX message_answers ON message (reply_to_message_id) WHERE reply_to_message_id IS NOT NULL;
CREATE INDEX grant_root ON "grant" (root_id, id);
CREATE INDEX producer_message ON producer (message_id) WHERE message_id IS NOT NULL;
