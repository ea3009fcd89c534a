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
