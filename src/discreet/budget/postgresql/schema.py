"""The tables in PostgreSQL and the rules in them: the database itself refuses what breaks one.

Whoever serves a book may add charges and answers to it and nothing else, and sees no other book;
all else is its owner's, the custodian's. Entries come in one statement, which a trigger checks as a
whole: they follow one another, each names the hash of the one before and has its own, no answer
comes before its charge, and no account is overspent.
"""

VERSION = 2

COLUMNS = "seq, at, kind, analyst, question, billionths, body, previous, hash"

TABLES = """
CREATE SCHEMA discreet;
REVOKE ALL ON SCHEMA discreet FROM PUBLIC;
CREATE TABLE discreet.version AS SELECT 1 AS version;

CREATE TABLE discreet.heads (
    book text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL DEFAULT 0 CHECK (seq >= 0),
    hash text COLLATE "C" NOT NULL DEFAULT repeat('0', 64)
);
CREATE TABLE discreet.entries (
    book text COLLATE "C" NOT NULL REFERENCES discreet.heads,
    seq bigint NOT NULL,
    at text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL
        CHECK (kind IN ('budget', 'charge', 'answer', 'acknowledged', 'facts')),
    analyst text COLLATE "C" NOT NULL,
    question text COLLATE "C" NOT NULL,
    billionths bigint NOT NULL CHECK (billionths >= 0),
    body text COLLATE "C" NOT NULL,
    previous text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    PRIMARY KEY (book, seq)
);
CREATE TABLE discreet.accounts (
    book text COLLATE "C" NOT NULL REFERENCES discreet.heads,
    name text COLLATE "C" NOT NULL,
    allowed bigint CHECK (allowed >= 0),
    spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
    PRIMARY KEY (book, name),
    CHECK (spent <= allowed)
);
CREATE UNIQUE INDEX one_charge ON discreet.entries (book, question) WHERE kind = 'charge';
CREATE UNIQUE INDEX one_answer ON discreet.entries (book, question) WHERE kind = 'answer';
CREATE INDEX all_facts ON discreet.entries (book, seq) WHERE kind = 'facts';
CREATE INDEX all_losses ON discreet.entries (book, seq) WHERE kind = 'acknowledged';
CREATE INDEX charges_of ON discreet.entries (book, analyst, seq) WHERE kind = 'charge';
"""

RULES = r"""
CREATE FUNCTION discreet.quoted(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    told text := '';
    code int;
BEGIN
    IF given ~ '^[ -~]*$' THEN
        RETURN to_json(given)::text;
    END IF;
    FOR place IN 1 .. length(given) LOOP
        code := ascii(substr(given, place, 1));
        IF code > 65535 THEN
            told := told || '\u' || lpad(to_hex(55296 + (code - 65536) / 1024), 4, '0')
                || '\u' || lpad(to_hex(56320 + (code - 65536) % 1024), 4, '0');
        ELSIF code > 126 THEN
            told := told || '\u' || lpad(to_hex(code), 4, '0');
        ELSE
            told := told || btrim(to_json(chr(code))::text, '"');
        END IF;
        IF code = 34 THEN
            told := told || '"';
        END IF;
    END LOOP;
    RETURN '"' || told || '"';
END $$;

CREATE FUNCTION discreet.append_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON discreet.entries
FOR EACH STATEMENT EXECUTE FUNCTION discreet.append_only();

CREATE FUNCTION discreet.follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    which text;
    many bigint;
    top discreet.heads;
    one record;
BEGIN
    SELECT min(book), count(*) INTO which, many FROM added;
    IF many = 0 THEN
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT 1 FROM added WHERE book <> which) THEN
        RAISE EXCEPTION 'entries of one book at a time';
    END IF;
    SELECT * INTO top FROM discreet.heads WHERE book = which FOR UPDATE;
    IF EXISTS (
        SELECT 1 FROM (
            SELECT seq, previous, row_number() OVER places AS place,
                   lag(hash) OVER places AS before
            FROM added WINDOW places AS (ORDER BY seq)
        ) AS chain
        WHERE seq <> top.seq + place OR previous <> coalesce(before, top.hash)
    ) THEN
        RAISE EXCEPTION 'entries follow one another';
    END IF;
    IF EXISTS (
        SELECT 1 FROM added WHERE hash <> encode(sha256(convert_to(
            '[' || seq || ', ' || discreet.quoted(at) || ', ' || discreet.quoted(kind) || ', '
            || discreet.quoted(analyst) || ', ' || discreet.quoted(question) || ', ' || billionths
            || ', ' || discreet.quoted(body) || ', ' || discreet.quoted(previous) || ']', 'UTF8'
        )), 'hex')
    ) THEN
        RAISE EXCEPTION 'an entry has the hash of another';
    END IF;
    IF EXISTS (SELECT 1 FROM added WHERE kind = 'charge' AND analyst = '') THEN
        RAISE EXCEPTION 'a charge names its analyst';
    END IF;
    IF EXISTS (
        SELECT 1 FROM added AS answer
        WHERE answer.kind = 'answer' AND NOT EXISTS (
            SELECT 1 FROM discreet.entries AS charge
            WHERE charge.book = which AND charge.kind = 'charge'
            AND charge.question = answer.question AND charge.analyst = answer.analyst
            AND charge.seq < answer.seq
            AND NOT EXISTS (
                SELECT 1 FROM discreet.entries AS loss
                WHERE loss.book = which AND loss.kind = 'acknowledged'
                AND loss.seq > charge.seq AND loss.seq < answer.seq
            )
        )
    ) THEN
        RAISE EXCEPTION 'no charge for this answer';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM added WHERE kind NOT IN ('charge', 'answer')) THEN
        PERFORM discreet.spend(which, analyst, sum(billionths)::bigint)
        FROM added WHERE kind = 'charge' GROUP BY analyst ORDER BY analyst;
    ELSE
        FOR one IN SELECT * FROM added ORDER BY seq LOOP
            IF one.kind = 'charge' THEN
                PERFORM discreet.spend(which, one.analyst, one.billionths);
            ELSIF one.kind = 'acknowledged' THEN
                UPDATE discreet.accounts SET spent = spent + one.billionths
                WHERE book = which AND name = '';
            ELSIF one.kind = 'budget' THEN
                INSERT INTO discreet.accounts (book, name, allowed)
                VALUES (which, one.analyst, one.billionths)
                ON CONFLICT (book, name) DO UPDATE SET allowed = excluded.allowed;
            END IF;
        END LOOP;
    END IF;
    UPDATE discreet.heads SET (seq, hash) =
        (SELECT added.seq, added.hash FROM added ORDER BY added.seq DESC LIMIT 1)
    WHERE book = which;
    RETURN NULL;
END $$;

CREATE FUNCTION discreet.spend(which text, who text, cost bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE discreet.accounts SET spent = spent + cost
    WHERE book = which AND name = '' AND allowed IS NOT NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no total budget';
    END IF;
    INSERT INTO discreet.accounts (book, name, spent) VALUES (which, who, cost)
    ON CONFLICT (book, name) DO UPDATE SET spent = accounts.spent + cost;
END $$;
REVOKE ALL ON FUNCTION discreet.spend, discreet.follow FROM PUBLIC;

CREATE TRIGGER follow AFTER INSERT ON discreet.entries
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION discreet.follow();
"""

BY_BOOK = f"""
CREATE TABLE discreet.servers (
    role name NOT NULL,
    book text COLLATE "C" NOT NULL,
    PRIMARY KEY (role, book)
);
CREATE FUNCTION discreet.served() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT book FROM discreet.heads WHERE pg_has_role(session_user, current_user, 'MEMBER')
    UNION
    SELECT book FROM discreet.servers JOIN pg_roles ON rolname = role
    WHERE pg_has_role(session_user, pg_roles.oid, 'MEMBER')
$$;
CREATE OR REPLACE FUNCTION discreet.turn(wanted text, OUT seq bigint, OUT hash text)
LANGUAGE sql VOLATILE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT heads.seq, heads.hash FROM discreet.heads
    WHERE book = wanted AND wanted IN (SELECT discreet.served()) FOR UPDATE
$$;
REVOKE ALL ON FUNCTION discreet.served, discreet.turn FROM PUBLIC;

DROP POLICY IF EXISTS read_entries ON discreet.entries;
DROP POLICY IF EXISTS charges_and_answers ON discreet.entries;
ALTER TABLE discreet.heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE discreet.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE discreet.accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_heads ON discreet.heads FOR SELECT
USING (book IN (SELECT discreet.served()));
CREATE POLICY read_entries ON discreet.entries FOR SELECT
USING (book IN (SELECT discreet.served()));
CREATE POLICY read_accounts ON discreet.accounts FOR SELECT
USING (book IN (SELECT discreet.served()));
CREATE POLICY charges_and_answers ON discreet.entries FOR INSERT
WITH CHECK (kind IN ('charge', 'answer') AND book IN (SELECT discreet.served()));
UPDATE discreet.version SET version = {VERSION};
"""
"""Who sees and serves which book. The first version let a role serve every book: these statements
follow its own, and roles are named anew."""

SERVING = """
GRANT USAGE ON SCHEMA discreet TO {role};
GRANT SELECT ON discreet.version, discreet.heads, discreet.entries, discreet.accounts TO {role};
GRANT INSERT ON discreet.entries TO {role};
GRANT EXECUTE ON FUNCTION discreet.turn, discreet.served TO {role};
INSERT INTO discreet.servers VALUES ({named}, {book}) ON CONFLICT DO NOTHING;
"""
"""What a role needs to serve a book; it may add charges and answers, and change nothing."""
