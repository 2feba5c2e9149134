package modeltest_test

import (
	"testing"

	"rein/kit/modeltest"
	"rein/kit/script"
	"rein/model"
)

// The test of a model of one's own. A client of a protocol answers here from a server that plays the script.
func Example() {
	_ = func(t *testing.T) { // TestMyModel
		modeltest.Suite{Open: func(_ *testing.T, s *script.Script) model.Model { return &script.Model{Script: s} }}.Run(t)
	}
	// Output:
}
