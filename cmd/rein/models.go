package main

import (
	"context"
	"errors"
	"os"
	"rein/harness/settings"
	"strings"

	"rein/model"
	"rein/model/dialect"
	"rein/model/providers"
	"rein/model/recovery"
)

// openModel opens the model that the flags or the settings name, else the first one that is found. A dialect promptes it
// to call in text; calls that leak into the text of any model are rescued.
func openModel(ctx context.Context, a *asking, s settings.Settings) (model.Model, error) {
	ref := firstOf(a.model, s.Model)
	o := &providers.Options{Getenv: os.Getenv, Addresses: map[string]providers.Address{}}
	for name, p := range s.Providers {
		o.Addresses[name] = providers.Address{BaseURL: p.BaseURL, KeyEnv: p.KeyEnv}
	}
	m, err := providers.Open(ctx, ref, o)
	if err != nil {
		return nil, modelError(ref, err)
	}
	if m, err = dialect.Wrap(m, firstOf(a.dialect, s.Dialect)); err != nil {
		return nil, coded{exitUsage, err}
	}
	return recovery.Wrap(m), nil
}

// modelError gives the exit code for a model that cannot be opened.
func modelError(ref string, err error) error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Auth {
		return coded{exitAuth, err}
	}
	if errors.Is(err, providers.ErrNone) {
		return coded{exitAuth, err}
	}
	if strings.HasPrefix(ref, "script/") {
		return coded{exitInput, err}
	}
	return coded{exitUsage, err}
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
