#!/usr/bin/env bash
# Load: what a request costs, beside what the same answer costs a baseline server.
#
#     scripts/load.sh [--quick] [--table FILE] [-- FLAG…]
#
# Starts the server, from its embedded tables or with the canonical table FILE
# mapped, and with whatever further flags of solved serve; and scripts/baseline, which
# answers the same requests with the same bytes and does nothing else. Drives both
# in turn over loopback by wrk, in the same run, with the same list of distinct
# positions, and prints a Markdown table. CPU is user and system time of the server's
# process; the load generator's is not in it. The server logs each request, as it
# does unless told otherwise, into a file. Timings decide nothing: what fails the run
# is a wrong answer or a count that does not add up.
#
# --quick only checks that: a second's load each, for CI.
#
# Environment: SECONDS_EACH (3) a stretch of load, ROUNDS (3) stretches for each kind
# and server, CONNECTIONS (16) and BATCH_CONNECTIONS (4), KINDS ("probe best batch batch-moves"), TMPDIR. The
# whole takes 2 × kinds × ROUNDS × SECONDS_EACH, and some twenty seconds more.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${SECONDS_EACH:-3} rounds=${ROUNDS:-3}
singles_at_once=${CONNECTIONS:-16} batches_at_once=${BATCH_CONNECTIONS:-4}
kinds=${KINDS:-probe best batch batch-moves}
singles=4096 batches=64 moves_batches=8 # distinct requests of each kind
quick= table= flags=()
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes seconds=1 rounds=1 singles=512 batches=8 moves_batches=2 ;;
    --table) table=${2:?--table needs a file} && shift ;;
    --) shift && flags=("$@") && break ;;
    *) echo "usage: scripts/load.sh [--quick] [--table FILE] [-- FLAG…]" >&2 && exit 2 ;;
    esac
    shift
done

fail() {
    echo "load: $*" >&2
    exit 1
}
for tool in wrk curl; do
    command -v $tool >/dev/null || fail "$tool is needed (Debian: apt-get install $tool)"
done
[ -r /proc/self/stat ] || fail "the time of a process is read from /proc"

work=$(mktemp -d "${TMPDIR:-/tmp}/solved-load.XXXXXX")
server= baseline=
finish() {
    local pid
    for pid in $server $baseline; do kill -KILL "$pid" && wait "$pid" || true; done 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

go build -o "$work/solved" ./server
go build -o "$work/baseline" ./scripts/baseline

# Positions: the index is walked in great strides, so that they are spread over it as
# evenly as can be, and always the same. Those whose game is over are left out.
positions() { # NUMBER
    local i
    for ((i = 1; i <= $1 + $1 / 2; i++)); do echo "post:$((i * 1521812931 % 2462360745))"; done |
        { "$work/solved" probe tic-tac-chec - || true; } | # some are refused
        sed -n 's/^{"rules":{[^}]*},"kind":"pieces","position":"\([^"]*\)",.*,"hands":{[^}]*},"terminal":false,.*/\1/p' |
        awk -v n="$1" 'NR <= n'
}
most=$((batches * 1000))
[[ " $kinds " == *" batch"* ]] || most=$singles
positions "$most" >"$work/positions"
[ "$(sort -u "$work/positions" | wc -l)" -eq "$most" ] || fail "there are not $most distinct positions"

# batch MOVES NUMBER: bodies of 1,000 positions.
batch() {
    head -n $(($2 * 1000)) "$work/positions" | awk -v moves="$1" '
        { list = list (NR % 1000 == 1 ? "" : ",") "\"" $0 "\"" }
        NR % 1000 == 0 { printf "POST /v1/tic-tac-chec/probe {\"positions\":[%s],\"moves\":%s}\n", list, moves; list = "" }'
}
list() { # KIND
    case $1 in
    probe | best) head -n "$singles" "$work/positions" | tr ' ' _ | sed "s,^,GET /v1/tic-tac-chec/$1?position=," ;;
    batch) batch false "$batches" ;;
    batch-moves) batch true "$moves_batches" ;;
    *) fail "there is no kind $1 of request" ;;
    esac
}
for kind in $kinds; do list "$kind" >"$work/$kind.list"; done
all_lists() { for kind in $kinds; do cat "$work/$kind.list"; done; }

# A port below those that the system gives out itself.
address=127.0.0.1:$((20000 + RANDOM % 10000))
"$work/solved" serve --listen "$address" ${table:+--table "$table"} "${flags[@]}" >"$work/log" 2>&1 </dev/null &
server=$!
for _ in $(seq 600); do
    ! curl -fs -o "$work/ready" "http://$address/readyz" || break
    kill -0 "$server" 2>/dev/null || fail "the server has ended: $(tail -n 3 "$work/log")"
    sleep 0.1
done
grep -qs '"state":"ready"' "$work/ready" || fail "the server is not ready after a minute"

# Counted by the server itself: requests of a kind, by status.
answered() { # KIND STATUS-PATTERN
    local route=/v1/{rules}/probe method=GET
    case $1 in best) route=/v1/{rules}/best ;; batch*) method=POST ;; esac
    curl -fs "http://$address/metrics" | awk -v method="method=\"$method\"" -v route="route=\"$route\"" -v status="status=\"$2\"" '
        /^solved_http_requests_total[{]/ && index($0, method) && index($0, route) && $0 ~ status { n += $NF }
        END { printf "%d\n", n }'
}

# Every request once, one after the other: the answers that the baseline gives,
# and an exact count.
recorded=$(all_lists | "$work/baseline" record "http://$address" "$work/answers")
[ "$recorded" -eq "$(all_lists | wc -l)" ] || fail "$recorded answers are recorded"
for method in GET POST; do
    asked=$(all_lists | grep -c "^$method ") || true
    counted=$(curl -fs "http://$address/metrics" | awk -v m="method=\"$method\"" '
        /^solved_http_requests_total[{]/ && index($0, m) && /v1.*status="200"/ { n += $NF } END { printf "%d\n", n }')
    [ "$counted" -eq "$asked" ] || fail "$asked times $method were answered, and the server counts $counted"
done

"$work/baseline" serve "$work/answers" >"$work/baseline.address" &
baseline=$!
for _ in $(seq 100); do
    [ ! -s "$work/baseline.address" ] || break
    sleep 0.1
done
baseline_address=$(cat "$work/baseline.address")
[ -n "$baseline_address" ] || fail "the baseline does not listen after ten seconds"

cat >"$work/wrk.lua" <<'LUA'
local requests, next = {}, 0
function init()
   for line in io.lines(os.getenv("LIST")) do
      local method, target, body = line:match("^(%S+) (%S+) ?(.*)$")
      local headers = { ["Host"] = wrk.host }
      if method == "POST" then headers["Content-Type"] = "application/json" else body = nil end
      requests[#requests + 1] = wrk.format(method, target, headers, body)
   end
end
function request()
   next = next % #requests + 1
   return requests[next]
end
function done(summary, latency)
   local e = summary.errors
   io.write(string.format("figures %d %d %d %d %d %d\n", summary.requests, summary.duration,
      latency:percentile(50), latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
LUA

# ticks PID: user and system time, in hundredths of a second.
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13) * 100 / hz }'; }

# settled PID: the same, when what was in flight is done.
settled() {
    local before now
    before=$(ticks "$1")
    for _ in $(seq 50); do
        sleep 0.1
        now=$(ticks "$1")
        [ "$now" != "$before" ] || break
        before=$now
    done
    echo "$before"
}

# stretch KIND SERVER SECONDS: one stretch of load. Prints requests as the server
# counts them, µs of CPU, requests as wrk counts them, µs of time, p50, p99 in µs.
stretch() {
    local kind=$1 pid=$server at=$address before after requests status failed count0 cpu0 cpu1 count1 bad=0
    local connections=$singles_at_once
    [[ $kind != batch* ]] || connections=$batches_at_once
    count() { answered "$kind" 200; }
    [ "$2" = solved ] || { pid=$baseline at=$baseline_address && count() { curl -fs "http://$baseline_address/requests"; }; }
    count0=$(count)
    [ "$2" = baseline ] || bad=$(answered "$kind" '[^2]..')
    cpu0=$(settled "$pid")
    LIST="$work/$kind.list" wrk -t 1 -c "$connections" -d "$3" --timeout 30s -s "$work/wrk.lua" "http://$at" >"$work/wrk.out" 2>&1 ||
        fail "wrk: $(cat "$work/wrk.out")"
    cpu1=$(settled "$pid")
    count1=$(count)
    [ "$2" = baseline ] || bad=$(($(answered "$kind" '[^2]..') - bad))
    read -r requests time p50 p99 status failed < <(sed -n 's/^figures //p' "$work/wrk.out") || fail "wrk: $(cat "$work/wrk.out")"
    [ "$status" -eq 0 ] && [ "$failed" -eq 0 ] || fail "$2, $kind: of $requests requests $status have a bad status and $failed have failed"
    # When time is up, wrk leaves with one request in flight on each connection.
    local counted=$((count1 - count0))
    [ "$counted" -ge "$requests" ] && [ $((counted + bad)) -le $((requests + connections)) ] ||
        fail "$2, $kind: wrk has $requests good answers, and the server counts $counted good and $bad bad ones"
    [ "$requests" -gt 0 ] || fail "$2, $kind: no request was answered in $3 s"
    awk -v n="$counted" -v cpu="$cpu0 $cpu1" -v wrk="$requests $time $p50 $p99" 'BEGIN {
        split(cpu, c); print n, (c[2] - c[1]) * 10000, wrk }'
}

# In turn, so that a neighbour's load falls on both alike.
for kind in $kinds; do
    for name in baseline solved; do stretch "$kind" $name 1 >/dev/null; done
    { [ "$(id -u)" -eq 0 ] || [ -O "/proc/$server/clear_refs" ]; } && echo 5 >"/proc/$server/clear_refs" # the peak anew
    for ((round = 0; round < rounds; round++)); do
        for name in baseline solved; do stretch "$kind" $name "$seconds" >>"$work/$kind.$name"; done
    done
    awk '/^(VmHWM|RssAnon)/ { print $1, $2 }' "/proc/$server/status" >"$work/$kind.memory"
done

# The server still gives the very same answers.
all_lists | "$work/baseline" record "http://$address" "$work/again" >/dev/null
cmp "$work/answers" "$work/again" && cmp "$work/answers.bodies" "$work/again.bodies" || fail "the answers are not those from before the load"
! grep -n -m 5 -e 'panic' -e 'level"*[=:]"*ERROR' "$work/log" || fail "the log tells of errors"

kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
[ "$code" -eq 0 ] || fail "SIGTERM ends the server with $code, not 0"

# report: the median of the rounds for latencies and for what a request costs beside
# the baseline in the same round, and the sum of all for the rest. A neighbour's
# load in one stretch spoils that comparison, but not their median.
report() {
    cat <<HEAD
| request | server | requests/s | p50, ms | p99, ms | CPU a request, µs | × baseline | positions/s a core | peak RSS, MiB | target |
|---|---|---:|---:|---:|---:|---:|---:|---:|---|
HEAD
    local kind name
    for kind in $kinds; do
        for name in baseline solved; do
            awk -v kind="$kind" -v name="$name" -v baseline="$work/$kind.baseline" -v memory="$work/$kind.memory" '
                function median(a, n,   i, j, t) {
                    for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
                    return a[int((n + 1) / 2)]
                }
                {
                    counted += $1; cpu += $2; requests += $3; time += $4; p50[NR] = $5; p99[NR] = $6
                    getline line < baseline; split(line, f); beside[NR] = $2 / $1 / (f[2] / f[1])
                }
                END {
                    cost = cpu / counted
                    while ((getline line < memory) > 0) { split(line, f); if (f[1] == "VmHWM:") peak = f[2] / 1024 }
                    batch = kind ~ /^batch/
                    titles["probe"] = "probe"; titles["best"] = "best"
                    titles["batch"] = "batch of 1,000 without moves"; titles["batch-moves"] = "batch of 1,000 with moves"
                    target = ""
                    if (name == "solved" && kind == "probe") target = "≤ 1.25 × baseline"
                    if (name == "solved" && kind == "batch") target = "≥ 200,000 positions/s a core, mapped"
                    printf "| %s | %s | %.0f | %.2f | %.2f | %.1f | %s | %s | %s | %s |\n", titles[kind], name, requests / time * 1e6,
                        median(p50, NR) / 1000, median(p99, NR) / 1000, cost,
                        name == "baseline" ? "" : sprintf("%.2f", median(beside, NR)),
                        batch && name == "solved" ? sprintf("%.0f", 1e9 / cost) : "",
                        name == "baseline" ? "" : sprintf("%.0f", peak), target
                }' "$work/$kind.$name"
        done
    done
}
if [ -n "$quick" ]; then
    echo "load: $recorded requests and those of $(echo $kinds | wc -w) stretches of load are answered right, and counted right"
else
    echo "load: solved serve${table:+ --table $(basename "$table")}${flags[*]:+ ${flags[*]}}, $singles_at_once connections ($batches_at_once for batches), $rounds × $seconds s each, $(date -u +%F), $(nproc) cores"
    echo
    report
fi
