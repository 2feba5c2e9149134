#!/bin/bash
if [ "$(tr '\n' ' ' < /app/sorted.txt)" = "a to four three " ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
