package models

import (
	"context"
	"errors"

	"rein/cmd/rein/internal/cli"
	"rein/harness"
	"rein/harness/settings"
	"rein/kit/providers"
	"rein/model"
)

// open opens a model with the settings of a directory. Warnings go to warn.
func open(ctx context.Context, dir, ref string, warn func(string)) (model.Model, error) {
	layers, _, err := settings.Load(settings.DefaultDirs(), dir)
	if err != nil {
		return nil, err
	}
	o := harness.ProviderOptions(settings.Merge(layers))
	o.Warn = warn
	m, err := providers.Open(ctx, ref, o)
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Auth {
		return nil, cli.Fail(cli.ExitAuth, err)
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	return m, nil
}
