-- Schema 6: what a daemon keeps: who may reach it.

-- Who may call the API, one row each: a token that the person handed out (`program`), or a browser that came
-- through a one-time link (`page`). Only the SHA-256 of the secret is kept. `last_used_us` is coarse.
CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_us INTEGER NOT NULL,
    last_used_us INTEGER,
    expires_us INTEGER,
    revoked_us INTEGER
) STRICT;
-- Those that still open something: all that a list shows.
CREATE INDEX token_live ON token (id) WHERE revoked_us IS NULL;

-- The mail timeline goes backward through what one agent wrote and what it was sent, in the order of writing.
DROP INDEX delivery_recipient;
CREATE INDEX delivery_recipient ON delivery (recipient_branch_id, message_id);
CREATE INDEX message_sender ON message (sender_branch_id) WHERE sender_branch_id IS NOT NULL;

-- What an answer has cost and when a call has ended, for pages of transcripts. The kinds are those of the statements.
CREATE INDEX event_answer ON event (json_extract(payload, '$.node')) WHERE kind = 'answer.committed';
CREATE INDEX event_call ON event (json_extract(payload, '$.call'), pos)
    WHERE kind IN ('message.sent', 'message.held', 'message.refused', 'delegation.refused', 'call.ended',
        'hook.decided');

-- Pages of sessions by their activity, and the teams that sessions are of.
CREATE INDEX session_root_active ON session (last_active_us, id) WHERE deleted_us IS NULL AND parent_id IS NULL;
CREATE INDEX session_team ON session (team) WHERE deleted_us IS NULL;

-- What the person has read of what they were told.
ALTER TABLE person_notice ADD COLUMN seen_us INTEGER;
CREATE INDEX person_notice_unseen ON person_notice (id) WHERE seen_us IS NULL;

-- Mail that ended unread, newest first.
CREATE INDEX delivery_dead ON delivery (id) WHERE state IN ('discarded', 'undelivered');

-- What `prune` leaves of a session that is over: when its texts went, and up to which event they were told of.
-- Of each body that went, its size and its SHA-256 are kept.
ALTER TABLE session ADD COLUMN pruned_us INTEGER;
ALTER TABLE session ADD COLUMN pruned_seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX session_prunable ON session (last_active_us, id) WHERE deleted_us IS NULL AND pruned_us IS NULL;
CREATE TABLE pruned_body (
    message_id INTEGER PRIMARY KEY,
    body_bytes INTEGER NOT NULL,
    body_sha256 TEXT NOT NULL
) STRICT;
