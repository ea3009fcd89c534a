-- name: texts_to_summary
-- The newest part of a conversation, newest first, back to its newest summary and with it; without the nodes of
-- results, which hold nothing. Where there is no summary this is all of it. Only keys go through the recursion.
-- A predecessor that is not there is a row of nulls at its end.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.role <> 'summary'
)
SELECT {node} FROM path LEFT JOIN node n ON n.id = path.id LEFT JOIN message m ON m.id = n.message_id
WHERE path.id IS NOT NULL AND n.role IS NOT 'tool'

-- name: missing_predecessor
-- Where a path breaks off: the last node that is there, and the one behind it that is not.
WITH RECURSIVE path (id, from_id) AS (
    SELECT ?, NULL
    UNION ALL
    SELECT n.predecessor_id, n.id FROM path p JOIN node n ON n.id = p.id
)
SELECT path.from_id, path.id FROM path LEFT JOIN node n ON n.id = path.id
WHERE path.id IS NOT NULL AND n.id IS NULL

-- name: newest_summary
-- The newest summary of a conversation.
WITH RECURSIVE path (id) AS (
    SELECT ?
    UNION ALL
    SELECT n.predecessor_id FROM path p JOIN node n ON n.id = p.id WHERE n.role <> 'summary'
)
SELECT {node} FROM path JOIN node n ON n.id = path.id LEFT JOIN message m ON m.id = n.message_id
WHERE n.role = 'summary'
