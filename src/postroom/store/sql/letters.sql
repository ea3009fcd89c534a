-- name: standings
-- How a message stands with each of its recipients.
SELECT d.recipient_branch_id, d.state, d.reason, d.seq, coalesce(d.round, 0), coalesce(t.public_id, ''),
    d.node_id IS NOT NULL, d.expires_us, b.paused_by_branch_id IS NOT NULL, d.reverted
FROM delivery d JOIN branch b ON b.id = d.recipient_branch_id LEFT JOIN turn t ON t.id = d.turn_id
WHERE d.message_id = ? ORDER BY d.id

-- name: answers_given
-- What others have written as an answer to a message; what is held, or went unread, answers nothing, and what is
-- said again by the person's leave does not either.
SELECT m.id, m.public_id, m.sender_branch_id FROM message o JOIN message m ON m.reply_to_message_id = o.id
WHERE o.id = ? AND m.reply_to_message_id IS NOT NULL AND m.kind IN ('mail', 'reply', 'result')
    AND m.sender_branch_id IS NOT o.sender_branch_id AND EXISTS (
    SELECT 1 FROM delivery d WHERE d.message_id = m.id AND d.state IN ('accepted', 'claimed', 'consumed'))
ORDER BY m.id

-- name: envelope_of
-- Who wrote a message, when, and how it was to enter.
SELECT id, public_id, kind, mode, sender_branch_id, created_us FROM message WHERE public_id = ?
