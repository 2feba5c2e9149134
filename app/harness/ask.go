package harness

import (
	"os"
	"path/filepath"

	"rein/internal/plainfile"
	"rein/kit/sandbox"
	"rein/kit/tools"
)

// AskFor returns the call that requests access to what the sandbox denied to a program; "" where the request would be denied.
func (g *accessGrants) AskFor(d sandbox.Denial) string {
	var x tools.AccessRequest
	switch d.Kind {
	case sandbox.DeniedNetwork:
		x.Host = d.Target
	case sandbox.DeniedRead:
		x.Read = d.Target
	case sandbox.DeniedWrite:
		x.Write = d.Target
	case sandbox.DeniedHidden:
		if x.Read = d.Target; !pathExists(d.Target) {
			x = tools.AccessRequest{Write: d.Target}
		}
	}
	if x.Write != "" && !plainfile.IsWithin(g.options.Workspace.Dir(), x.Write) {
		for !isDir(x.Write) {
			x.Write = filepath.Dir(x.Write)
		}
	}
	return g.call(x)
}

// AskForHost is AskFor for a host that a tool was kept from.
func (g *accessGrants) AskForHost(host string) string { return g.call(tools.AccessRequest{Host: host}) }

// call writes the call that requests access, if that call would need an approval.
func (g *accessGrants) call(x tools.AccessRequest) string {
	if x == (tools.AccessRequest{}) {
		return ""
	}
	x, open, err := g.Check(x)
	if err != nil || open || g.options.Denied(x.Intent()) {
		return ""
	}
	return x.Call()
}

func pathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return path == "/" || err == nil && info.IsDir()
}
