-- The words of each entry in body, of scripts without spaces each character and each two neighbours; in scope a word for the project that it belongs to, and one for the category. The text is
-- kept above only.
CREATE VIRTUAL TABLE terms USING fts5 (scope, body, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2");
