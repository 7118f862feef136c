#!/usr/bin/env bash
# An agent that does not guess: it asks a person, and waits for the answer.
set -eu
case "$LOCKSTEP_TASK_ID" in
  L-1)
    word=$(lockstep self ask 'How formal is the letter?' Dear Hello --default Hello)
    echo "$word reader," > letter.txt
    ;;
  L-2) echo "Anna" >> letter.txt ;;
esac
