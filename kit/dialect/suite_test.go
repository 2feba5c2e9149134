package dialect

import (
	"testing"

	"rein/model"
	"rein/model/modeltest"
	"rein/model/script"
)

func TestRecoveryAWrappedModelKeepsTheContract(t *testing.T) {
	modeltest.Suite{Open: func(_ *testing.T, s *script.Script) model.Model {
		return WrapRecovery(&script.Model{Script: s, Name: "test"})
	}}.Run(t)
}
