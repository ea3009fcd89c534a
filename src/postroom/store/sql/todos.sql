-- name: next_todo
-- The number that the next entry of a board gets.
SELECT coalesce(max(number), 0) + 1 FROM todo WHERE session_id = ?

-- name: insert_todo
-- One more entry of a board.
INSERT INTO todo (session_id, number, subject, description, status, owner_branch_id, blocked_by, created_us, updated_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: todo_row
-- One entry of a board by its number.
SELECT {todo} FROM todo WHERE session_id = ? AND number = ?

-- name: todos_of_session
-- A board, in the order of its numbers.
SELECT {todo} FROM todo WHERE session_id = ? ORDER BY number

-- name: set_todo
-- An entry reads and stands as it does from now on.
UPDATE todo SET subject = ?, description = ?, status = ?, owner_branch_id = ?, blocked_by = ?, updated_us = ? WHERE id = ?

-- name: todos_after
-- Every entry behind a key, as the fold gives it.
SELECT id, session_id, number, status, owner_branch_id, blocked_by FROM todo WHERE id > ? ORDER BY id LIMIT ?

-- name: mend_todo
-- An entry becomes what the log says; its words are not in the log and stay.
UPDATE todo SET session_id = ?, number = ?, status = ?, owner_branch_id = ?, blocked_by = ? WHERE id = ?
