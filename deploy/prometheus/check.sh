#!/usr/bin/env bash
# Checks rules, their tests and the configuration by Prometheus' own tool, and what the
# real program exports. Builds the tool once, a minute or less, into the user's cache.
set -euo pipefail
cd "$(dirname "$0")"

version=v0.316.0 # the library of Prometheus 3.16.0; as in ../go.mod and ../compose/compose.yml
tools=${XDG_CACHE_HOME:-$HOME/.cache}/solved/promtool-$version
promtool=$tools/promtool
if [ ! -x "$promtool" ]; then
    # Without the ways to find targets in all the clouds there are; only by DNS, as here.
    (cd / && GOBIN=$tools GOFLAGS= go install -tags remove_all_sd,enable_dns_sd "github.com/prometheus/prometheus/cmd/promtool@$version")
fi

# --lint-fatal: what is only doubtful fails as well.
"$promtool" check rules --lint=all --lint-fatal rules.yml
"$promtool" test rules rules_test.yml
"$promtool" check config --lint=all --lint-fatal prometheus.yml

metrics=$(mktemp "${TMPDIR:-/tmp}/solved-metrics.XXXXXX")
trap 'rm -f "$metrics"' EXIT
(cd .. && METRICS_FILE=$metrics go test -count 1 -run '^TestExported$' .)
[ -s "$metrics" ] || { echo "there are no metrics to check" >&2 && exit 1; }
"$promtool" check metrics <"$metrics"

# A check that cannot fail proves nothing.
if sed 's/> 14.4/< 14.4/g' rules.yml >"$metrics" && cmp -s rules.yml "$metrics"; then
    echo "there is no 14.4 in the rules to change" >&2 && exit 1
fi
mutant=$(mktemp -d "${TMPDIR:-/tmp}/solved-rules.XXXXXX")
trap 'rm -rf "$metrics" "$mutant"' EXIT
cp "$metrics" "$mutant/rules.yml" && cp rules_test.yml "$mutant"
if "$promtool" test rules "$mutant/rules_test.yml" >/dev/null 2>&1; then
    echo "the tests of the rules do not notice a changed rule" >&2 && exit 1
fi
echo "prometheus: rules, tests, configuration and metrics are good"
