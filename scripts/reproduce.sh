#!/usr/bin/env bash
# Makes every published table again, from nothing, and compares.
#
# For each ruleset: solve; compare the SHA-256 of the .ttb and the .tb with the
# published ones; make the embedded table from the solved one and compare it byte
# for byte with server/games/tictacchec/kernels; expand the embedded table and compare that with
# the solved one; ask both for a million random positions; audit a sample of the
# solved one by the reference rules; plant errors in a copy, and have each found.
# Every entry is audited of the canonical table, and with AUDIT=all of all three, and
# then all positions that can occur are found, too, which takes an hour. A quick report counts
# what each table holds, and has to bear out every figure that has been published, but for those
# that need all moves of the main phase.
#
# Nothing is kept between runs. Takes some half an hour on two cores, 3 GB of
# memory and 4 GB of disk under ${TMPDIR:-/tmp}.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/solved-reproduce.XXXXXX")
trap 'rm -rf "$work"' EXIT

free=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
if [ "$free" -lt 4000000 ]; then
    echo "reproduce: $work has $free KB free, and 4,000,000 are needed; set TMPDIR" >&2
    exit 1
fi

go build -o "$work/solved" ./server
solved=$work/solved

# digest FILE SHA256
digest() {
    local found
    found=$(sha256sum "$1" | cut -d' ' -f1)
    if [ "$found" != "$2" ]; then
        echo "reproduce: $(basename "$1") has the SHA-256 $found, not $2" >&2
        exit 1
    fi
    echo "reproduce: $(basename "$1") has the SHA-256 $2"
}

# timed COMMAND…: with its duration and, where it can be had, its peak memory.
timed() {
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f 'reproduce: %e s, %M KB resident at most' "$@"
    else
        local start=$SECONDS
        "$@"
        echo "reproduce: $((SECONDS - start)) s"
    fi
}

# audit RULES EDGES: the number of moves from all positions of the main phase. All
# rulesets have the same opening.
audit() {
    timed "$solved" audit "$work/$1.ttb" | tee "$work/audit"
    grep -q "^main  *2462360745 positions, $2 edges, at most 64 moves;" "$work/audit"
    grep -q "^opening  *14236865 positions, 317806144 edges, at most 64 moves;" "$work/audit"
    echo "reproduce: every entry of $1 follows from those after its moves"
}

# held RULES: the tests that take the solved table instead of the embedded one. None may be lost
# by a new name.
held() {
    local tests=(TestKernelAnswers TestAudit TestReports TestSolutionOpening) name
    timed env SOLVED_TABLES="$work" go test ./server/... -count 1 -v -run "^($(IFS='|' && echo "${tests[*]}"))\$/^$1\$" | tee "$work/tested"
    for name in "${tests[@]}"; do
        grep -q "^ *--- PASS: $name/$1 " "$work/tested" || { echo "reproduce: $name has not run for $1" >&2 && exit 1; }
    done
}

# occur RULES NUMBER: how many positions of the main phase can occur.
occur() {
    timed "$solved" reach "$1" | tee "$work/reached"
    grep -q ": $2 of 2462360745 positions of the main phase can occur" "$work/reached"
    echo "reproduce: what can occur under $1 is found by playing and by going back"
}

# reproduce RULES TTB-SHA256 TB-SHA256 EDGES OCCUR
reproduce() {
    local rules=$1
    echo "reproduce: $rules, from nothing"
    timed "$solved" solve "$rules" -o "$work/$rules.ttb" -o "$work/$rules.kernel"
    digest "$work/$rules.ttb" "$2"

    timed "$solved" convert "$work/$rules.ttb" "$work/$rules.tb"
    digest "$work/$rules.tb" "$3"
    rm "$work/$rules.tb"

    cmp "$work/$rules.kernel" "server/games/tictacchec/kernels/$rules.kernel"
    echo "reproduce: the embedded table of $rules is the one made from the solve"

    timed "$solved" expand "$rules" -o "$work/expanded.ttb"
    cmp "$work/expanded.ttb" "$work/$rules.ttb"
    echo "reproduce: the embedded table of $rules expands to the solved one"
    rm "$work/expanded.ttb"

    held "$rules"
    if [ "$rules" = tic-tac-chec ] || [ "${AUDIT:-}" = all ]; then
        audit "$rules" "$4"
    fi
    [ "${AUDIT:-}" != all ] || occur "$rules" "$5"
    timed "$solved" audit --sample 10000 --seed 1 "$work/$rules.ttb"
    rm "$work/$rules.ttb"
}

# The digests of tic-tac-chec and of the outbound .tb are those of the published
# solve; the others were published by this project first (rules/tictacchec/RESULTS.md).
reproduce tic-tac-chec \
    f80c1899e57941a2251ffa554645ad06e66d4e5fbd349b6d2b949efd2c526c53 \
    f6644e7d35cd9653e1c4bb33b2e4221afd27567385c0ec1f7b71c84e65c8f045 \
    28730418180 2452895552
reproduce tic-tac-chec-outbound \
    52ec0dfbad03521214e6e0993433bd7415b13a1c29348d15ee78716b0a1b882d \
    a75d985022831c45811a49f2bc5a63c8af095c51da19aa212551d4d7a7545752 \
    28304244300 2436890208
reproduce tic-tac-chec-toward-opponent \
    7677baddf04c1549fd67afb6df06ac15e9ed9e60e5f72eca8b8639204c58d3b8 \
    539a792d9b27e71af7842d5b687019b15f333e1315a524613afbdc1628fa127b \
    28578875430 2436900674

# The smaller tables are embedded whole.
for table in tictactoe/tic-tac-toe.ttb pig/pig.prob.zst; do
    name=${table##*/}
    "$solved" solve "${name%%.*}" -o "$work/$name"
    cmp "$work/$name" "server/games/$table"
    echo "reproduce: the embedded table $name is the one solved"
done
echo "reproduce: all good"
