#!/usr/bin/env bash
# Checks everything in this folder. It is a Go module of its own, so that the
# types of Kubernetes and the like stay out of the program's.
set -euo pipefail
cd "$(dirname "$0")"

go vet ./...
go test ./...
prometheus/check.sh
