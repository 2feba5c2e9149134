package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/server/api"
)

// Workspaces that have the same name are told apart by their directories.
func TestWorkspacesOfTheSameNameAreToldApart(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	root := filepath.Dir(h.dir)
	h.options.Workspaces = []string{filepath.Join(root, "a", "app"), filepath.Join(root, "b", "app"), filepath.Join(root, "site")}
	for _, dir := range h.options.Workspaces {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	v := h.start()
	var names []string
	for _, w := range ask[[]api.Workspace](v, "GET", "/v1/workspaces", nil) {
		names = append(names, w.Name)
	}
	if got, want := strings.Join(names, " "), strings.Join(h.options.Workspaces[:2], " ")+" site"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
