#!/usr/bin/env bash
# A new user's walk: clone, run the server by the README's command, ask it, use the
# command line. Every answer is looked at.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/solved-try.XXXXXX")
server=
address=
finish() {
    stop
    rm -rf "$work"
}

# stop ends the server. go run passes no signals on, so the program it has started
# is found by its address.
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$address" ] || pkill -f -- "--listen $address" 2>/dev/null || true
    server=
}
trap finish EXIT

fail() {
    echo "try: $*" >&2
    [ ! -s "$work/log" ] || sed 's/^/try: server: /' "$work/log" >&2
    exit 1
}

# What is committed is what a user gets.
git clone -q . "$work/solved"
cd "$work/solved"

# A free port: the system's choice, given back. Somebody else may take it, so a few
# are tried.
ready=
for port in 18431 18567 19013 27481; do
    address=127.0.0.1:$port
    go run ./server --listen "$address" >"$work/log" 2>&1 &
    server=$!
    for _ in $(seq 600); do
        if curl -fs -o /dev/null "http://$address/readyz"; then
            ready=yes
            break 2
        fi
        kill -0 "$server" 2>/dev/null || break
        sleep 0.2
    done
    stop
done
[ -n "$ready" ] || fail "the server is not ready after two minutes"

# expect STATUS TEXT PATH: fetches a path and looks for a status and a text.
asked=0
expect() {
    local status
    status=$(curl -s -o "$work/body" -w '%{http_code}' "http://$address$3")
    [ "$status" = "$1" ] || fail "$3 answers $status, not $1: $(head -c 500 "$work/body")"
    grep -qF -- "$2" "$work/body" || fail "$3 does not say $2: $(head -c 500 "$work/body")"
    asked=$((asked + 1))
}

position='Pb2/n1R1/2rp/N3_w_dd_m'
expect 200 '"value":"win","distance":41,"moves":[{"move":"B@d1","index":2,' "/v1/tic-tac-chec/probe?position=$position"
expect 200 '"value":"win","distance":41,' "/v1/0x54544303/probe?position=$position&rules_tag=0X54544303"
expect 409 '"type":"/problems/rules-mismatch"' "/v1/tic-tac-chec/probe?position=$position&rules_tag=0x54544301"
expect 200 '"move":"B@d1"' "/v1/tic-tac-chec/best?position=$position"
expect 200 '"end":"cycle","cycle_start":32}' "/v1/tic-tac-chec/line"
expect 200 '"ply":50,' "/v1/tic-tac-chec/line"
expect 200 '"name":"zugzwang"' "/v1/tic-tac-chec/examples"
expect 200 '"content_sha256":"f80c1899e57941a2251ffa554645ad06e66d4e5fbd349b6d2b949efd2c526c53"' "/v1/rules"
expect 200 '"tag":"0x54544302"' "/v1/tic-tac-chec-toward-opponent"
expect 400 '"offset":7' "/v1/tic-tac-chec/probe?position=4/4/4/4x"
expect 422 '"reason":"mover-line"' "/v1/tic-tac-chec/probe?position=PNBR/4/4/4_w_d-_m"
expect 400 '"parameter":"positon"' "/v1/tic-tac-chec/probe?positon=$position"
expect 404 '"type":"/problems/unknown-rules"' "/v1/chess/probe"
expect 404 '"type":"/problems/not-found"' "/v1/rules/"
expect 200 'solved_build_info' "/metrics"
echo "try: $asked answers are as they should be"

go build -o "$work/bin" ./server
solved=$work/bin
"$solved" probe tic-tac-chec "$position" | grep -q 'Win in 41 for White' || fail "probe does not print the win"
"$solved" line tic-tac-chec "$position" >/dev/null || fail "line fails"
lines=$(printf '%s\n' "$position" nonsense '4/4/4/4 w -- o' | "$solved" probe tic-tac-chec - | wc -l) || true
[ "$lines" = 3 ] || fail "probe - answers $lines lines for three"
code=0
"$solved" probe tic-tac-chec nonsense >/dev/null 2>&1 || code=$?
[ "$code" = 1 ] || fail "a malformed position exits with $code, not 1"
echo "try: the command line is as it should be"

stop
"$solved" serve --listen "$address" >"$work/log" 2>&1 &
server=$!
for _ in $(seq 100); do
    curl -fs -o /dev/null "http://$address/livez" && break
    sleep 0.1
done
kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
[ "$code" = 0 ] || fail "SIGTERM ends the server with $code, not 0"
echo "try: all good"
