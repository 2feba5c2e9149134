//go:build !unix

package serve

import (
	"context"

	"rein/server"
)

// reloadOnSignal does nothing: this system has no SIGHUP. POST /v1/settings/reload reads the settings again.
func reloadOnSignal(context.Context, *server.Server, func(string), func()) (wait func()) {
	return func() {}
}
