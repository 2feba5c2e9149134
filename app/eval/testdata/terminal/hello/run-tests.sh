#!/bin/bash
set -e
source $TEST_DIR/check.sh
