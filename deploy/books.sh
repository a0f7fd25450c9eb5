#!/bin/sh
# PostgreSQL for ledgers and accounts. The first time it makes the database `discreet` with two roles:
# discreet_custodian owns it, discreet_server serves. Their passwords are files, one line each.
set -eu
data=${BOOKS_DATA:-/var/lib/books/data}
secrets=${BOOKS_SECRETS:-/run/secrets}
listen=${BOOKS_LISTEN:-*}
port=${BOOKS_PORT:-5432}
programs=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)

if [ ! -s "$data/PG_VERSION" ]; then
    custodian=$(cat "$secrets/custodian.password")
    server=$(cat "$secrets/server.password")
    case "$custodian$server" in
        *[!A-Za-z0-9]* | '') echo "a password has letters and digits: openssl rand -hex 24" >&2; exit 2 ;;
    esac
    rm -rf "$data.new"
    "$programs/initdb" -D "$data.new" -U postgres -A scram-sha-256 --auth-local=peer -E UTF8 \
        --locale=C.UTF-8 --data-checksums --no-instructions > /dev/null
    echo 'host discreet discreet_custodian,discreet_server all scram-sha-256' >> "$data.new/pg_hba.conf"
    "$programs/postgres" --single -j -D "$data.new" postgres > /dev/null << SQL
CREATE ROLE discreet_custodian LOGIN PASSWORD '$custodian';

CREATE ROLE discreet_server LOGIN PASSWORD '$server';

CREATE DATABASE discreet OWNER discreet_custodian;

REVOKE ALL ON DATABASE discreet FROM PUBLIC;

GRANT CONNECT ON DATABASE discreet TO discreet_server;

SQL
    mv "$data.new" "$data"
fi
exec "$programs/postgres" -D "$data" -k "$(dirname "$data")" -h "$listen" -p "$port"
