//go:build linux && !amd64

package sandbox

import "errors"

// foreignCall is an attack on amd64 only.
func foreignCall(prey) error { return errors.New("no such interface here") }
