package guardtest_test

import (
	"testing"

	"rein/guard"
	"rein/kit/guardtest"
)

// The test of a guard of one's own.
func Example() {
	_ = func(t *testing.T) { // TestMyGuard
		guardtest.Run(t, func(*testing.T) guard.Guard { return guard.All{} })
	}
	// Output:
}
