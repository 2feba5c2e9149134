package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/settings"
	"rein/guard"
	"rein/internal/plainfile"
	"rein/kit/network"
	"rein/kit/places"
	"rein/kit/sandbox"
	"rein/kit/tools"
	"rein/tool"
)

// Check implements tools.Opener: it reads what a model wants to have opened.
func (g *accessGrants) Check(x tools.AccessRequest) (tools.AccessRequest, bool, error) {
	if x.Host != "" {
		return g.checkHost(x)
	}
	name := g.spelled(x.Write + x.Read)
	if x.Write != "" {
		x.Write = name
	} else {
		x.Read = name
	}
	at := places.Context{Workspaces: g.options.Workspace.Dirs()}
	inside := slices.ContainsFunc(at.Workspaces, func(dir string) bool { return plainfile.IsWithin(dir, name) })
	if inside && places.Classify(name, at) == places.Workspace || g.has(x) {
		return x, true, nil
	}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return x, false, &tool.Error{Kind: tool.NotFound, Text: name + " does not exist.", Hint: "Name the directory in which it is to be."}
	case err != nil:
		return x, false, &tool.Error{Kind: tool.Denied, Text: err.Error()}
	case x.Write != "" && !info.IsDir() && info.Mode().IsRegular() && !inside:
		return x, false, &tool.Error{Kind: tool.BadArguments, Text: name + " is a file.", Hint: "To write it, name its directory: " + filepath.Dir(name)}
	}
	if err := g.options.CheckOpened(name); err != nil {
		return x, false, &tool.Error{Kind: tool.Denied, Text: "It cannot be opened: " + err.Error() + "."}
	}
	return x, false, nil
}

// spelled makes a path as a model writes it absolute; links stay.
func (g *accessGrants) spelled(name string) string {
	if name = settings.UnderHome(name); !filepath.IsAbs(name) {
		name = filepath.Join(g.options.Workspace.Dir(), name)
	}
	return filepath.Clean(name)
}

// checkHost reads a host as rules write it.
func (g *accessGrants) checkHost(x tools.AccessRequest) (tools.AccessRequest, bool, error) {
	refuse := func(err error) (tools.AccessRequest, bool, error) {
		return x, false, &tool.Error{Kind: tool.Denied, Text: "It cannot be opened: " + err.Error()}
	}
	text := x.Host
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text, _, _ = strings.Cut(rest, "/")
	}
	host, t, err := hostOf(text)
	if err != nil {
		return refuse(err)
	}
	if x.Host = host; g.has(x) || !x.Send && g.Programs().Check(t) == nil {
		return x, true, nil
	}
	if err := g.mayOpen(x, t); err != nil {
		return refuse(err)
	}
	return x, false, nil
}

// mayOpen fails where no approval can open a host: the settings deny it, or its address is of a kind that is never open.
func (g *accessGrants) mayOpen(x tools.AccessRequest, t network.Target) error {
	policy, err := g.base.programs.With(hostRules([]tools.AccessRequest{x}))
	if err != nil {
		return err
	}
	return policy.Check(t)
}

// Approved opens what an approved call contacts, and places, for this call. It holds when the call begins, until it ends. What is not known
// exactly, and what may not be opened, is left out.
func (g *accessGrants) Approved(call string, contacts []guard.Contact, opened sandbox.Opened) {
	var all []tools.AccessRequest
	for _, place := range opened.Write {
		all = append(all, tools.AccessRequest{Write: place})
	}
	for _, place := range opened.Read {
		all = append(all, tools.AccessRequest{Read: place})
	}
	for _, contact := range contacts {
		if strings.ContainsAny(contact.Host, "*?…") {
			continue
		}
		host, t, err := hostOf(addressText(contact.Contact))
		x := tools.AccessRequest{Host: host, Send: true} // the person approved what the call sends
		if err == nil && g.mayOpen(x, t) == nil {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.granted[call] = all
}

// Open implements tools.Opener: it opens what was checked.
func (g *accessGrants) Open(x tools.AccessRequest) (string, error) {
	lasts, err := g.open(x)
	if err != nil {
		return "", err
	}
	lasting := "for the next command, or the next file or web call that uses it. Make that call now."
	if lasts {
		lasting = "until the session ends."
	}
	if x.Host != "" {
		lasting += g.hostWords(x)
	}
	return lasting, nil
}

// hostWords explains how programs reach a host after access was granted.
func (g *accessGrants) hostWords(x tools.AccessRequest) string {
	if !g.options.Proxied() {
		return " Programs have no network on this machine: use web_fetch or http_request."
	}
	name, port := splitHost(x.Host)
	if name == "localhost" {
		return " A command finds it at localhost:" + port + ", with any protocol, and by the proxy at http://" + network.HostName + ":" + port + "/."
	}
	return ""
}

// has reports whether something is open to all calls already.
func (g *accessGrants) has(x tools.AccessRequest) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Clone(g.lasting)
	for _, dir := range g.settled.Write {
		all = append(all, tools.AccessRequest{Write: dir})
	}
	for _, path := range g.settled.Read {
		all = append(all, tools.AccessRequest{Read: path})
	}
	return slices.ContainsFunc(all, func(y tools.AccessRequest) bool {
		switch {
		case x.Write != "":
			return y.Write != "" && plainfile.IsWithin(y.Write, x.Write)
		case x.Read != "":
			return y.Write+y.Read != "" && plainfile.IsWithin(y.Write+y.Read, x.Read)
		}
		return y.Host == x.Host && (y.Send || !x.Send)
	})
}

// Settle grants the file tools access to the places that the settings name, and returns the places for the sandbox. A place that
// cannot be opened is left out with a warning.
func (g *accessGrants) Settle(places settings.Files, warn func(string)) (all sandbox.Opened) {
	open := func(paths []string, write bool) (opened []string) {
		for _, path := range paths {
			real, err := g.settlePlace(path, write)
			if err != nil {
				warn(fmt.Sprintf("settings: files: %s is left out: %v", path, err))
				continue
			}
			opened = append(opened, real)
		}
		return opened
	}
	all.Write, all.Read = open(places.Write, true), open(places.Read, false)
	all.Servers = serversOf(slices.Concat(g.options.Network.Allow, g.options.Network.Private))
	g.settled = all
	return all
}

// settlePlace opens a place of the settings to the file tools and returns its real path.
func (g *accessGrants) settlePlace(path string, write bool) (string, error) {
	real, err := realPath(path)
	if err != nil {
		return "", err
	}
	x := tools.AccessRequest{Read: real}
	if write {
		x = tools.AccessRequest{Write: real}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return real, g.toFiles(x)
}

// realPath takes the links out of a path that a person wrote down.
func realPath(path string) (string, error) {
	if path = settings.UnderHome(path); !filepath.IsAbs(path) {
		return "", errors.New("not an absolute path")
	}
	return filepath.EvalSymlinks(path)
}
