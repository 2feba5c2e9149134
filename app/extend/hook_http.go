package extend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"rein/hook"
)

// post sends the input to a server. An answer without a body has no effect; any other must be JSON.
func (r HookRunner) post(ctx context.Context, e HookEntry, in hook.Input, input []byte) (hookEnd, error) {
	h := e.Handler
	if r.Client == nil {
		return hookEnd{}, errors.New("there is no client for it")
	}
	client, err := r.Client(h.URL, e.File.Project)
	if err != nil {
		return hookEnd{}, err
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(input))
	if err != nil {
		return hookEnd{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if parent := r.trace(in); parent != "" {
		request.Header.Set("Traceparent", parent)
	}
	for name, value := range h.Headers {
		request.Header.Set(name, os.Expand(value, func(variable string) string {
			if !slices.Contains(h.AllowedEnvVars, variable) {
				return ""
			}
			return r.getenv(variable)
		}))
	}
	response, err := client.Do(request)
	if err != nil {
		return hookEnd{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostHookOutput))
	text := strings.TrimSpace(string(body))
	switch {
	case err != nil:
		return hookEnd{}, err
	case response.StatusCode/100 != 2:
		return hookEnd{}, fmt.Errorf("the server answered %s", response.Status)
	case text != "" && !strings.HasPrefix(text, "{"):
		return hookEnd{}, errors.New("the server answered with text that is no JSON")
	}
	return hookEnd{Stdout: text}, nil
}
