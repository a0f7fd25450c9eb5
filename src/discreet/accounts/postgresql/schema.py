"""The tables of accounts in PostgreSQL, and what a serving role may do: look up, sign in and out.

Tables are the custodian's alone. Whoever serves reaches them by functions: a token or a session is
found by its digest, a session is opened by who shows a token that is good, for so long as sessions
last, and no digest is ever told.
"""

from discreet.accounts.store import SESSION_HOURS

VERSION = 1

TABLES = f"""
CREATE SCHEMA discreet_accounts;
REVOKE ALL ON SCHEMA discreet_accounts FROM PUBLIC;
CREATE TABLE discreet_accounts.version AS SELECT {VERSION} AS version;
CREATE TABLE discreet_accounts.changes AS SELECT 1::bigint AS number;
CREATE TABLE discreet_accounts.people (
    name text COLLATE "C" PRIMARY KEY,
    role text COLLATE "C" NOT NULL CHECK (role IN ('analyst', 'custodian')),
    datasets text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL UNIQUE,
    created timestamptz NOT NULL,
    expires timestamptz,
    revoked timestamptz
);
CREATE TABLE discreet_accounts.sessions (
    digest text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL REFERENCES discreet_accounts.people ON DELETE CASCADE,
    expires timestamptz NOT NULL
);
CREATE INDEX sessions_of ON discreet_accounts.sessions (name);

CREATE FUNCTION discreet_accounts.changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE discreet_accounts.changes SET number = number + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON discreet_accounts.people
FOR EACH STATEMENT EXECUTE FUNCTION discreet_accounts.changed();

CREATE FUNCTION discreet_accounts.look() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT number FROM discreet_accounts.changes
$$;
CREATE FUNCTION discreet_accounts.listed() RETURNS TABLE (
    name text, role text, datasets text, created timestamptz, expires timestamptz,
    revoked timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT name, role, datasets, created, expires, revoked
    FROM discreet_accounts.people ORDER BY name
$$;
CREATE FUNCTION discreet_accounts.by_token(shown text) RETURNS TABLE (
    name text, role text, datasets text, created timestamptz, expires timestamptz,
    revoked timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT name, role, datasets, created, expires, revoked
    FROM discreet_accounts.people WHERE digest = shown
$$;
CREATE FUNCTION discreet_accounts.by_session(shown text) RETURNS TABLE (
    name text, role text, datasets text, created timestamptz, expires timestamptz,
    revoked timestamptz, ends timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT people.name, role, datasets, created, people.expires, revoked, sessions.expires
    FROM discreet_accounts.sessions JOIN discreet_accounts.people USING (name)
    WHERE sessions.digest = shown
$$;
CREATE FUNCTION discreet_accounts.open_session(made text, shown text, ends timestamptz)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM discreet_accounts.sessions WHERE expires <= clock_timestamp();
    INSERT INTO discreet_accounts.sessions
    SELECT made, name, least(ends, clock_timestamp() + interval '{SESSION_HOURS} hours')
    FROM discreet_accounts.people
    WHERE digest = shown AND revoked IS NULL
    AND (expires IS NULL OR expires > clock_timestamp())
    ON CONFLICT DO NOTHING;
$$;
CREATE FUNCTION discreet_accounts.close_session(shown text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM discreet_accounts.sessions WHERE digest = shown;
    UPDATE discreet_accounts.changes SET number = number + 1;
$$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA discreet_accounts FROM PUBLIC;
"""

SERVING = """
GRANT USAGE ON SCHEMA discreet_accounts TO {role};
GRANT SELECT ON discreet_accounts.version TO {role};
GRANT EXECUTE ON FUNCTION discreet_accounts.look, discreet_accounts.listed,
    discreet_accounts.by_token, discreet_accounts.by_session, discreet_accounts.open_session,
    discreet_accounts.close_session TO {role};
"""
"""What a role needs to serve: it looks up, opens and closes sessions, and changes no account."""
