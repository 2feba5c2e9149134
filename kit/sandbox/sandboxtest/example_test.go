package sandboxtest_test

import (
	"testing"

	"rein/kit/sandbox"
	"rein/kit/sandbox/sandboxtest"
)

// The test of a sandbox of one's own.
func Example() {
	_ = func(t *testing.T) { // TestMySandbox
		sandboxtest.Run(t, func(*testing.T, string) sandbox.Sandbox { return sandbox.None{} })
	}
	// Output:
}
