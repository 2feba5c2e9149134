package main

import (
	"cmp"
	"context"
	"errors"
	"os"

	"rein/model"
	"rein/model/providers"
)

// openModel opens the model that the flags or the settings name, else the first that can be used.
func openModel(ctx context.Context, a *asking, s settings) (model.Model, error) {
	addresses := make(map[string]providers.Address, len(s.Providers))
	for name, p := range s.Providers {
		addresses[name] = providers.Address{BaseURL: p.BaseURL, KeyEnv: p.KeyEnv}
	}
	m, err := providers.Open(ctx, cmp.Or(a.model, s.Model), &providers.Options{Getenv: os.Getenv, Addresses: addresses})
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Auth {
		return nil, coded{exitAuth, err}
	}
	if err != nil {
		return nil, coded{exitConfig, err}
	}
	return m, nil
}
