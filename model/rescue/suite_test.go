package rescue_test

import (
	"testing"

	"rein/model"
	"rein/model/modeltest"
	"rein/model/rescue"
	"rein/model/script"
)

func TestARescuedModelKeepsTheContract(t *testing.T) {
	modeltest.Suite{Open: func(_ *testing.T, s *script.Script) model.Model {
		return rescue.Wrap(&script.Model{Script: s, Name: "test"})
	}}.Run(t)
}
