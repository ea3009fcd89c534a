-- name: insert_token
-- Somebody may call the API from now on.
INSERT INTO token (public_id, kind, name, scope, hash, created_us, expires_us) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: token_by_hash
-- The token of a secret, whether it still opens anything or not.
SELECT {token} FROM token WHERE hash = ?

-- name: token_by_public_id
-- One token by the id that lists show.
SELECT {token} FROM token WHERE public_id = ?

-- name: live_tokens
-- The tokens that were not revoked, newest first, without logins whose time is over.
SELECT {token} FROM token WHERE revoked_us IS NULL AND (kind <> 'page' OR expires_us > ?)
ORDER BY id DESC LIMIT ?

-- name: revoke_token
-- A token opens nothing any more.
UPDATE token SET revoked_us = ? WHERE id = ? AND revoked_us IS NULL

-- name: mark_token_used
-- A token was used about now.
UPDATE token SET last_used_us = ? WHERE id = ?
