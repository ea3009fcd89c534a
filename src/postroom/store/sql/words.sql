-- name: add_words
-- The words of one text can be searched for.
INSERT INTO words (rowid, text) VALUES (?, ?)

-- name: messages_to_index
-- Bodies behind the newest message that can be searched for.
SELECT id, body FROM message WHERE id > ? ORDER BY id LIMIT ?

-- name: nodes_to_index
-- Answers and results of tools behind the newest node that can be searched for. A receipt or a result that
-- came by mail is not here: its words are those of the message.
SELECT n.id, CASE n.role
    WHEN 'assistant' THEN json_extract(n.parts, '$.text')
    WHEN 'tool' THEN (SELECT group_concat(c.result, char(10)) FROM call c WHERE c.turn_id = n.turn_id
        AND c.round = n.round AND c.message_id IS NULL AND c.result_delivery_id IS NULL)
    END
FROM node n WHERE n.id > ? ORDER BY n.id LIMIT ?

-- name: found_words
-- Where words stand, best match first.
SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ? OFFSET ?

-- name: found_message
-- A message that a search has found: where it was sent, when, by whom, and its text.
SELECT s.public_id, s.root_id, m.public_id, m.created_us, coalesce(
    (SELECT {label} FROM branch b JOIN session s ON s.id = b.session_id WHERE b.id = m.sender_branch_id),
    m.sender_address), m.body, 'mail', {address}, (SELECT r.title FROM session r WHERE r.id = s.root_id)
FROM message m JOIN delivery d ON d.message_id = m.id JOIN branch b ON b.id = d.recipient_branch_id
    JOIN session s ON s.id = b.session_id
WHERE m.id = ?

-- name: found_node
-- An answer or the results of a round that a search has found.
SELECT s.public_id, s.root_id, t.public_id, n.created_us, {label}, CASE n.role
    WHEN 'assistant' THEN json_extract(n.parts, '$.text')
    ELSE (SELECT group_concat(c.tool || ': ' || c.result, char(10)) FROM call c WHERE c.turn_id = n.turn_id
        AND c.round = n.round AND c.message_id IS NULL AND c.result_delivery_id IS NULL)
    END, CASE n.role WHEN 'assistant' THEN 'answer' ELSE 'result' END, {address},
    (SELECT r.title FROM session r WHERE r.id = s.root_id)
FROM node n JOIN turn t ON t.id = n.turn_id JOIN branch b ON b.id = t.branch_id JOIN session s ON s.id = n.session_id
WHERE n.id = ?
