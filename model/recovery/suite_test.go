package recovery_test

import (
	"testing"

	"rein/model"
	"rein/model/modeltest"
	"rein/model/recovery"
	"rein/model/script"
)

func TestAWrappedModelKeepsTheContract(t *testing.T) {
	modeltest.Suite{Open: func(_ *testing.T, s *script.Script) model.Model {
		return recovery.Wrap(&script.Model{Script: s, Name: "test"})
	}}.Run(t)
}
