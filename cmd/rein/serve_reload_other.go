//go:build !unix

package main

import (
	"context"

	"rein/app/server"
)

// reloadOnSignal does nothing: this system has no SIGHUP. POST /v1/settings/reload reads the settings again.
func reloadOnSignal(context.Context, *server.Server, func(string), func()) (wait func()) {
	return func() {}
}
