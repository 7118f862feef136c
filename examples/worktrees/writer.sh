#!/usr/bin/env bash
# An agent in one file: it is told its task and the file that is its own, and works in its own worktree.
set -eu
lockstep self progress "thinks about $2"
sleep 2
case "$1" in
  P-1) echo "Monday to Friday, 8 to 18" > "$2" ;;
  P-2) echo "Coffee 2.20" > "$2" ;;
  P-3) echo "7 Harbour Street" > "$2" ;;
  P-4) ls pages | grep -v '^all' > "$2.new" && mv "$2.new" "$2" ;;
esac
lockstep self done "wrote $2"
