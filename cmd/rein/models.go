package main

import (
	"context"
	"errors"
	"strings"

	"rein/model"
	"rein/model/script"
)

// openModel opens the model that the flags or the settings name.
func openModel(_ context.Context, a *asking, s settings) (model.Model, error) {
	ref := a.model
	if ref == "" {
		ref = s.Model
	}
	if file, ok := strings.CutPrefix(ref, "script/"); ok {
		said, err := script.Open(file)
		if err != nil {
			return nil, coded{exitInput, err}
		}
		return &script.Model{Script: said, Name: file}, nil
	}
	return nil, coded{exitConfig, errors.New("no provider is wired in this build")}
}
