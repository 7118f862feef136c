#!/usr/bin/env bash
# A worker as Omega spawns one: it is told its feature on the command line, and nothing of the others.
set -eu
case "$1" in
  F-001) echo hello > hello.txt ;;
  F-002) echo world > name.txt ;;
  F-011) echo "$(cat hello.txt) $(cat name.txt)" > greeting.txt ;;
esac
echo "did $2 in ${3:-no file}"
