package testkit

// This part makes named pipes for tests: files that a careless reader waits for without end.

import (
	"errors"
	"testing"
)

var errNone = errors.New("this system has no named pipes among its files")

// Make makes a named pipe at a path. It skips the test on a system that has none among its files.
func Make(t testing.TB, path string) {
	t.Helper()
	if err := mkfifo(path); err != nil {
		if err == errNone {
			t.Skip(err)
		}
		t.Fatal(err)
	}
}
