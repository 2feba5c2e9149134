package dialect

import (
	"testing"

	"rein/kit/modeltest"
	"rein/kit/script"
	"rein/model"
)

// A wrapped model keeps the contract, also when the model below makes calls of its own.
func TestAWrappedModelKeepsTheContract(t *testing.T) {
	modeltest.Suite{OneText: true, Open: func(t *testing.T, s *script.Script) model.Model {
		m, err := WrapTextCalls(&script.Model{Script: s, Name: "test"}, "hermes")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}}.Run(t)
}
