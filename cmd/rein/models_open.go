package main

import (
	"context"
	"errors"

	"rein/app/harness"
	"rein/app/settings"
	"rein/kit/providers"
	"rein/model"
)

// openModel opens a model with the settings of a directory. Warnings go to warn.
func openModel(ctx context.Context, dir, ref string, warn func(string)) (model.Model, error) {
	layers, _, err := settings.Load(settings.DefaultDirs(), dir)
	if err != nil {
		return nil, err
	}
	o := harness.ProviderOptions(settings.Merge(layers))
	o.Warn = warn
	m, err := providers.Open(ctx, ref, o)
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Auth {
		return nil, withExitCode(exitAuth, err)
	}
	if err != nil {
		return nil, withExitCode(exitUsage, err)
	}
	return m, nil
}
