-- Schema 7: two indexes less that no statement uses. `ask_open` and `grant_root` answer what they were made for, and
-- each costs every ask and every grant a write.

DROP INDEX ask_root;

DROP INDEX grant_live;
