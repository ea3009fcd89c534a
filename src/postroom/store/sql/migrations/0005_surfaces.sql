-- Migration 5, before the new code: buses of one turn, mail to selectors, expiry, waits for several things,
-- directories, and what a process holds in memory.
-- `node` is written anew, because SQLite cannot change a CHECK: text of the person and of agents may share one.

CREATE TABLE node_5 (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'summary', 'attach')),
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'agent', 'system', 'plugin', 'mixed')),
    predecessor_id INTEGER,
    caller_id INTEGER,
    message_id INTEGER,
    turn_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    parts TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    said INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO node_5 SELECT * FROM node;
DROP TABLE node;
ALTER TABLE node_5 RENAME TO node;
CREATE INDEX node_turn ON node (turn_id, id);
CREATE INDEX node_attach ON node (predecessor_id, id) WHERE role = 'attach';

-- The bus of one turn: what its agents and the person write to each other while it runs.
CREATE TABLE bus (
    id INTEGER PRIMARY KEY,
    turn_id INTEGER NOT NULL UNIQUE,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0,
    closed_us INTEGER,
    -- What nobody read: a JSON list of sender, selector, text and how much of it is left out.
    report TEXT NOT NULL DEFAULT '[]'
) STRICT;

-- Who reads a bus: an agent in one of its turns, under the address that opening the reader gave it.
CREATE TABLE reader (
    id INTEGER PRIMARY KEY,
    bus_id INTEGER NOT NULL REFERENCES bus (id),
    branch_id INTEGER NOT NULL,
    address TEXT NOT NULL,
    label TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    opened_seq INTEGER NOT NULL,
    cursor_seq INTEGER NOT NULL DEFAULT 0,
    entry INTEGER NOT NULL DEFAULT 0,
    UNIQUE (bus_id, branch_id)
) STRICT;
CREATE INDEX reader_label ON reader (bus_id, label);

-- Mail to a selector stands on a bus, at a place; deliveries are written when readers take it.
ALTER TABLE message ADD COLUMN selector TEXT NOT NULL DEFAULT '';
ALTER TABLE message ADD COLUMN bus_id INTEGER;
ALTER TABLE message ADD COLUMN bus_seq INTEGER;
CREATE INDEX message_bus ON message (bus_id, bus_seq) WHERE bus_id IS NOT NULL;

-- When an unread message goes out of date, and how many answers its reader had given when it was accepted.
ALTER TABLE delivery ADD COLUMN expires_us INTEGER;
ALTER TABLE delivery ADD COLUMN rounds_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX delivery_due ON delivery (expires_us, id)
    WHERE expires_us IS NOT NULL AND state IN ('held', 'accepted');
-- An agent names mail by its number in its own mailbox. No other statement may take this index for the unread.
CREATE INDEX delivery_number ON delivery (recipient_branch_id, seq) WHERE seq <> 0;
CREATE INDEX delivery_node ON delivery (node_id) WHERE node_id IS NOT NULL;
-- What the person has asked for in a turn.
CREATE INDEX delivery_request ON delivery (turn_id) WHERE kind = 'user' AND turn_id IS NOT NULL;

ALTER TABLE turn ADD COLUMN bus_id INTEGER;
-- How often a delivery has begun its rounds anew, and whether only one answer without tools is left to it.
ALTER TABLE turn ADD COLUMN extensions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN is_last INTEGER NOT NULL DEFAULT 0;
-- How often in a row a process has gone on with it after another one's death.
ALTER TABLE turn ADD COLUMN resumes INTEGER NOT NULL DEFAULT 0;
-- How many calls reviewers have let through in the place of the person.
ALTER TABLE turn ADD COLUMN reviews INTEGER NOT NULL DEFAULT 0;
CREATE INDEX turn_bus ON turn (bus_id) WHERE bus_id IS NOT NULL;

-- Held messages of a pair, for caps that count them.
ALTER TABLE pair ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
INSERT INTO pair (sender_branch_id, recipient_branch_id, unacked, held)
    SELECT sender_branch_id, recipient_branch_id, 0, count(*) FROM delivery
    WHERE state = 'held' AND kind = 'mail' GROUP BY sender_branch_id, recipient_branch_id
    ON CONFLICT DO UPDATE SET held = excluded.held;

CREATE INDEX delivery_held_to ON delivery (recipient_branch_id, sender_branch_id, id) WHERE state = 'held';

-- In which process an agent was last in memory, and how many answers it has given.
ALTER TABLE branch ADD COLUMN resident_epoch INTEGER NOT NULL DEFAULT -1;
CREATE INDEX branch_resident ON branch (resident_epoch) WHERE resident_epoch > 0;
ALTER TABLE branch ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
UPDATE branch SET rounds = (SELECT coalesce(sum(t.rounds), 0) FROM turn t WHERE t.branch_id = branch.id);

-- The directory of a session, and of an agent that works elsewhere, as it is compared with others. What is
-- there already keeps the spelling that it was made with, which is that of the process's own directory.
ALTER TABLE session ADD COLUMN place TEXT NOT NULL DEFAULT '';
UPDATE session SET place = cwd;
ALTER TABLE branch ADD COLUMN place TEXT NOT NULL DEFAULT '';
UPDATE branch SET place = cwd WHERE cwd <> '';
CREATE INDEX session_tail ON session (substr(public_id, -6)) WHERE deleted_us IS NULL;
CREATE INDEX session_place ON session (place, last_active_us, id) WHERE deleted_us IS NULL;

-- What else a wait is for. `kind` says when it ends: with its task or ask, with the first or the last of its
-- targets, or with a change behind a place in the log. Mail may end it where `by_mail` is set.
ALTER TABLE wait ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE wait ADD COLUMN by_mail INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wait ADD COLUMN since_pos INTEGER;
CREATE TABLE wait_target (
    call_id INTEGER NOT NULL,
    task_id INTEGER,
    message_id INTEGER,
    branch_id INTEGER
) STRICT;
CREATE INDEX wait_target_call ON wait_target (call_id);
CREATE INDEX wait_target_task ON wait_target (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX wait_target_message ON wait_target (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX wait_target_branch ON wait_target (branch_id) WHERE branch_id IS NOT NULL;

-- The life of a delivery may end with its bus.
DROP INDEX event_delivery;
CREATE INDEX event_delivery ON event (json_extract(payload, '$.delivery'), pos)
    WHERE kind IN ('message.held', 'message.accepted', 'message.claimed', 'message.released', 'message.unparked',
        'message.consumed', 'message.discarded', 'message.undelivered');

CREATE INDEX person_notice_session ON person_notice (session_id);
