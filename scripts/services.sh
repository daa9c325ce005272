#!/bin/sh
# A private PostgreSQL for the tests: installed if it is missing, started if it does not run.
# Nothing but `.services/postgresql.url` in the project and one folder of temporary files is
# written, and a cluster that the machine already has is not touched.
set -eu
cd "$(dirname "$0")/.."

project="$(pwd -P)"
mark="$(printf %s "$project" | cksum | cut -d ' ' -f 1)"
# not in the project: the server runs as a user who may be unable to enter it, and the path of a
# unix socket must be short
home="${TMPDIR:-/tmp}/stratagate-services-$(id -u)-$mark"
data="$home/data"
url_file=".services/postgresql.url"
password="for-tests-only"

say() {
    printf 'services: %s\n' "$1"
}

# A server refuses to run as root, so everything of the cluster is done as another user then:
# that of Debian's package, if there is one.
owner() {
    id -u postgres >/dev/null 2>&1 && printf postgres || printf nobody
}

as_owner() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && runuser -u "$(owner)" -- "$@")
    else
        (cd / && "$@")
    fi
}

# The folder of the newest installed server's programs; nothing if there is none.
programs() {
    newest="$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t / -k 5 -n | tail -n 1)"
    if [ -n "$newest" ] && [ -x "$newest/initdb" ]; then
        printf %s "$newest"
    elif command -v initdb >/dev/null; then
        dirname "$(command -v initdb)"
    fi
}

install_server() {
    command -v apt-get >/dev/null || {
        say "PostgreSQL is missing and this is no Debian: install a server, then run this again"
        exit 1
    }
    root=""
    [ "$(id -u)" -eq 0 ] || root="sudo -n"
    say "installing PostgreSQL from Debian packages ..."
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        postgresql >"${TMPDIR:-/tmp}/stratagate-apt-$mark.log" 2>&1 || {
        tail -n 20 "${TMPDIR:-/tmp}/stratagate-apt-$mark.log"
        exit 1
    }
}

make_cluster() {
    say "making a cluster in $data ..."
    rm -rf "$home"
    mkdir -p -m 700 "$home"
    printf %s "$password" >"$home/password"
    [ "$(id -u)" -ne 0 ] || chown -R "$(owner)" "$home"
    as_owner "$bin/initdb" --pgdata="$data" --username=stratagate --pwfile="$home/password" \
        --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$home.log" 2>&1 || {
        cat "$home.log"
        exit 1
    }
    # data for tests may be lost; what is tested is that no client loses any
    as_owner sh -c "cat >>'$data/postgresql.conf'" <<CONF
listen_addresses = ''
unix_socket_directories = '$home'
fsync = off
full_page_writes = off
synchronous_commit = off
max_connections = 200
shared_buffers = 64MB
CONF
}

running() {
    as_owner "$bin/pg_ctl" --pgdata="$data" status >/dev/null 2>&1
}

start() {
    bin="$(programs)"
    if [ -z "$bin" ]; then
        install_server
        bin="$(programs)"
    fi
    if running; then
        say "PostgreSQL runs already"
    else
        [ -f "$data/postgresql.conf" ] || make_cluster
        as_owner "$bin/pg_ctl" --pgdata="$data" --log="$home/server.log" --wait start >/dev/null || {
            as_owner tail -n 20 "$home/server.log"
            exit 1
        }
        say "PostgreSQL $(as_owner "$bin/postgres" --version | sed 's/.*) //') started in $home"
    fi
    mkdir -p .services
    printf 'postgresql://stratagate:%s@/postgres?host=%s\n' "$password" "$home" >"$url_file"
    say "the tests find it by $url_file; stop it with: make services-stop"
}

stop() {
    bin="$(programs)"
    if [ -n "$bin" ] && running; then
        as_owner "$bin/pg_ctl" --pgdata="$data" --mode=immediate --wait stop >/dev/null
        say "PostgreSQL stopped"
    else
        say "PostgreSQL does not run"
    fi
    rm -rf "$home" "$home.log" "$url_file"
}

case "${1:-start}" in
    start) start ;;
    stop) stop ;;
    *)
        echo "usage: scripts/services.sh [start|stop]"
        exit 2
        ;;
esac
