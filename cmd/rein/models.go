package main

import (
	"context"
	"errors"

	"rein/model"
)

// openModel opens the model that the flags or the settings name.
func openModel(context.Context, *asking, settings) (model.Model, error) {
	return nil, coded{exitConfig, errors.New("no provider is wired in this build")}
}
