#!/bin/bash
test "$(tr -d "[:space:]" < /app/result.txt)" = "$(cat $TEST_DIR/want)"
