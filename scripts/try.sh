#!/usr/bin/env bash
# A new user's walk: clone, run the server by the README's command, ask it, use the
# command line. Every answer is looked at.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/solved-try.XXXXXX")
gorun=  # the process of go run, while there is one
server= # the process of the server, while there is one
finish() {
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
    [ -z "$gorun" ] || kill -KILL "$gorun" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "try: $*" >&2
    [ ! -s "$work/log" ] || sed 's/^/try: server: /' "$work/log" >&2
    exit 1
}

# What is committed is what a user gets. The repository may be another user's,
# which git refuses to clone unless told otherwise.
printf '[safe]\n\tdirectory = *\n' >"$work/gitconfig"
GIT_CONFIG_GLOBAL=$work/gitconfig git clone -q . "$work/solved"
cd "$work/solved"

# The system chooses a free port, and the log tells it.
go run ./server --listen 127.0.0.1:0 >"$work/log" 2>&1 </dev/null &
gorun=$!
address=
for _ in $(seq 1500); do
    address=$(sed -n 's/.*msg=listening address=\([^ ]*\).*/\1/p' "$work/log")
    [ -z "$address" ] || break
    kill -0 "$gorun" 2>/dev/null || fail "go run ends without a server"
    sleep 0.2
done
[ -n "$address" ] || fail "the server does not listen after five minutes"
# go run passes no SIGTERM on, so its child is what to end.
server=$(cat /proc/"$gorun"/task/*/children | tr -d ' ')
[[ $server =~ ^[0-9]+$ ]] || fail "go run has not one child, but: $server"
ready=
for _ in $(seq 300); do
    if curl -fs -o /dev/null "http://$address/readyz"; then
        ready=yes
        break
    fi
    sleep 0.1
done
[ -n "$ready" ] || fail "the server is not ready after half a minute"

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
expect 400 '"type":"/problems/malformed-position"' "/v1/tic-tac-chec/probe?position="
expect 422 '"reason":"mover-line"' "/v1/tic-tac-chec/probe?position=PNBR/4/4/4_w_d-_m"
expect 422 '"type":"/problems/illegal-move"' "/v1/tic-tac-chec/probe?moves=a1-a2"
expect 400 '"parameter":"positon"' "/v1/tic-tac-chec/probe?positon=$position"
expect 404 '"type":"/problems/unknown-rules"' "/v1/chess/probe"
expect 200 '"kind":"marks","position":"X.O/.X./..O","side_to_move":"X"' "/v1/tic-tac-toe/probe?position=X.O/.X./..O"
expect 200 '"kind":"grundy","position":"3,5,7","board":null,"terminal":false,"value":"win","grundy":1,"source":"closed-form"' "/v1/nim/probe"
expect 404 '"type":"/problems/not-found"' "/v1/rules/"
expect 200 '"source":"embedded"' "/readyz"
expect 200 'solved_build_info' "/metrics"
echo "try: $asked answers are as they should be"

go build -buildvcs=true -o "$work/bin" ./server # stamps the commit even against GOFLAGS
solved=$work/bin
"$solved" probe tic-tac-chec "$position" | grep -q 'Win in 41 for White' || fail "probe does not print the win"
"$solved" line tic-tac-chec "$position" >/dev/null || fail "line fails"
lines=$(printf '%s\n' "$position" nonsense '4/4/4/4 w -- o' | "$solved" probe tic-tac-chec - | wc -l) || true
[ "$lines" = 3 ] || fail "probe - answers $lines lines for three"
code=0
"$solved" probe tic-tac-chec nonsense >/dev/null 2>&1 || code=$?
[ "$code" = 1 ] || fail "a malformed position exits with $code, not 1"
"$solved" --version | grep -qx "commit: $(git rev-parse HEAD)" || fail "--version does not name the commit: $("$solved" --version)"
mkdir "$work/man"
"$solved" man "$work/man" && [ -s "$work/man/solved-serve.1" ] || fail "man writes no page of solved serve"
"$solved" completion bash | bash -n || fail "the completion for bash is no script"
echo "try: the command line is as it should be"

kill -TERM "$server"
code=0
wait "$gorun" || code=$? # go run ends with 0 only if the server did
gorun=
server=
[ "$code" = 0 ] || fail "SIGTERM ends the server with $code, not 0"
grep -q 'msg=stopped' "$work/log" || fail "the server does not say that it has stopped"
echo "try: all good"
