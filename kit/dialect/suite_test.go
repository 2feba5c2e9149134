package dialect

import (
	"testing"

	"rein/kit/modeltest"
	"rein/kit/script"
	"rein/model"
)

func TestRecoveryAWrappedModelKeepsTheContract(t *testing.T) {
	modeltest.Suite{Open: func(_ *testing.T, s *script.Script) model.Model {
		return WrapRecovery(&script.Model{Script: s, Name: "test"})
	}}.Run(t)
}
