package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rein/guard"
	"rein/harness/settings"
	"rein/netpolicy"
	"rein/places"
	"rein/sandbox"
	"rein/sandbox/proxy"
	"rein/tool"
	"rein/toolkit"
)

// accessTool grants what the request_access tool asks for.
type accessTool struct{ *Session }

// Check reads what a model wants to have opened.
func (s accessTool) Check(x toolkit.Access) (toolkit.Access, bool, error) {
	if x.Host != "" {
		return s.checkHost(x)
	}
	name := s.spelled(x.Write + x.Read)
	if x.Write != "" {
		x.Write = name
	} else {
		x.Read = name
	}
	at := places.Context{Workspaces: s.workspace.Dirs()}
	inside := slices.ContainsFunc(at.Workspaces, func(dir string) bool { return within(dir, name) })
	if inside && places.Classify(name, at) == places.Workspace || s.access.has(x) {
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
	if err := s.box.CheckOpened(name); err != nil {
		return x, false, &tool.Error{Kind: tool.Denied, Text: "It cannot be opened: " + err.Error() + "."}
	}
	return x, false, nil
}

// spelled makes a path as a model writes it absolute; links stay.
func (s *Session) spelled(name string) string {
	if name = settings.UnderHome(name); !filepath.IsAbs(name) {
		name = filepath.Join(s.workspace.Dir(), name)
	}
	return filepath.Clean(name)
}

// checkHost reads a host as rules write it.
func (s accessTool) checkHost(x toolkit.Access) (toolkit.Access, bool, error) {
	refuse := func(err error) (toolkit.Access, bool, error) {
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
	if x.Host = host; s.access.has(x) || !x.Send && s.access.programs.Load().Check(t) == nil {
		return x, true, nil
	}
	if err := s.access.mayOpen(x, t); err != nil {
		return refuse(err)
	}
	return x, false, nil
}

// hostOf reads host or host:port, and gives it as rules write it.
func hostOf(text string) (host string, t netpolicy.Target, err error) {
	name, port := splitHost(text)
	if t, err = netpolicy.ParseTarget(name, port); err != nil {
		return "", t, err
	}
	if t.Host == proxy.HostName {
		t.Host = "localhost"
	}
	if strings.HasSuffix(text, ":"+port) {
		return t.String(), t, nil
	}
	return t.Host, t, nil
}

// mayOpen fails where no approval can open a host: the settings deny it, or its address is of a kind that is never open.
func (o *accessGrants) mayOpen(x toolkit.Access, t netpolicy.Target) error {
	policy, err := o.base.programs.With(hostRules([]toolkit.Access{x}))
	if err != nil {
		return err
	}
	return policy.Check(t)
}

// hostsOf are the hosts that a call contacts and that an approval of the call opens. What is not known exactly, and what
// may not be opened, is left out.
func (s *Session) hostsOf(c guard.Case) (all []toolkit.Access) {
	contacts, _ := s.guards.Programs.Contacts(c)
	for _, contact := range contacts {
		text := contact.Host
		if contact.Port != 0 {
			text = net.JoinHostPort(contact.Host, strconv.Itoa(contact.Port))
		}
		if strings.ContainsAny(contact.Host, "*?…") {
			continue
		}
		host, t, err := hostOf(text)
		x := toolkit.Access{Host: host, Send: true} // the person approved what the call sends
		if err == nil && s.access.mayOpen(x, t) == nil {
			all = append(all, x)
		}
	}
	return all
}

// Open opens what was checked.
func (s accessTool) Open(x toolkit.Access) (string, error) {
	lasts, err := s.access.open(x)
	if err != nil {
		return "", err
	}
	lasting := "for the next command, or the next file or web call that uses it. Make that call now."
	if lasts {
		lasting = "until the session ends."
	}
	if x.Host != "" {
		lasting += s.hostWords(x)
	}
	return lasting, nil
}

// places are the places that were opened, as calls are judged.
func (s *Session) places() (write, read []string) {
	return s.access.places(s.access.pending() && s.isolation() != guard.NoIsolation)
}

// hostWords explains how programs reach a host after access was granted.
func (s accessTool) hostWords(x toolkit.Access) string {
	if backend, err := s.backend(); err != nil || backend == sandbox.BackendLandlock || backend == sandbox.BackendSeatbelt {
		return " Programs have no network on this machine: use web_fetch or http_request."
	}
	name, port := splitHost(x.Host)
	if name == "localhost" {
		return " A program finds it at http://" + proxy.HostName + ":" + port + "/ (its own localhost is the sandbox's)."
	}
	return ""
}

// has reports whether something is open to all calls already.
func (o *accessGrants) has(x toolkit.Access) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := slices.Clone(o.lasting)
	for _, dir := range o.settled.Write {
		all = append(all, toolkit.Access{Write: dir})
	}
	for _, path := range o.settled.Read {
		all = append(all, toolkit.Access{Read: path})
	}
	return slices.ContainsFunc(all, func(y toolkit.Access) bool {
		switch {
		case x.Write != "":
			return y.Write != "" && within(y.Write, x.Write)
		case x.Read != "":
			return y.Write+y.Read != "" && within(y.Write+y.Read, x.Read)
		}
		return y.Host == x.Host && (y.Send || !x.Send)
	})
}

// accessOfSettings grants the file tools access to the places that the settings name, and gives the places for the
// sandbox. A place that does not exist is left out with a warning.
func (s *Session) accessOfSettings() (sandbox.Opened, error) {
	var all sandbox.Opened
	places, err := settings.FilesOf(s.h.layers)
	if err != nil {
		return all, err
	}
	open := func(paths []string, write bool) (opened []string) {
		for _, path := range paths {
			real, err := s.access.settlePlace(path, write)
			if err != nil {
				s.h.options.Warn(fmt.Sprintf("settings: files: %s is left out: %v", path, err))
				continue
			}
			opened = append(opened, real)
		}
		return opened
	}
	all.Write, all.Read = open(places.Write, true), open(places.Read, false)
	s.access.settled = all
	return all, nil
}

// settlePlace opens a place of the settings to the file tools and gives its real path.
func (o *accessGrants) settlePlace(path string, write bool) (string, error) {
	real, err := realPath(path)
	if err != nil {
		return "", err
	}
	x := toolkit.Access{Read: real}
	if write {
		x = toolkit.Access{Write: real}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return real, o.toFiles(x)
}

// realPath takes the links out of a path that a person wrote down.
func realPath(path string) (string, error) {
	if path = settings.UnderHome(path); !filepath.IsAbs(path) {
		return "", errors.New("not an absolute path")
	}
	return filepath.EvalSymlinks(path)
}

// isPrivateHost reports whether a host is of this machine or of its network by its own words.
func isPrivateHost(host string) bool {
	name, port := splitHost(host)
	t, err := netpolicy.ParseTarget(name, port)
	return err == nil && (t.Host == "localhost" || strings.HasSuffix(t.Host, ".localhost") ||
		t.Addr.IsValid() && netpolicy.Classify(t.Addr) != netpolicy.Public)
}

// splitHost takes the port off a host; 443 where there is none.
func splitHost(host string) (name, port string) {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil {
			return name, port
		}
	}
	return strings.Trim(host, "[]"), "443"
}

// askFor gives the call that requests access to what the sandbox denied to a program; "" where the request would be denied.
func (s *Session) askFor(d sandbox.Denial) string {
	var x toolkit.Access
	switch d.Kind {
	case sandbox.DeniedNetwork:
		x.Host = d.Target
	case sandbox.DeniedRead:
		x.Read = d.Target
	case sandbox.DeniedWrite:
		x.Write = d.Target
	case sandbox.DeniedHidden:
		if x.Read = d.Target; !exists(d.Target) {
			x = toolkit.Access{Write: d.Target}
		}
	}
	if x.Write != "" && !within(s.workspace.Dir(), x.Write) {
		for !isDir(x.Write) {
			x.Write = filepath.Dir(x.Write)
		}
	}
	return s.call(x)
}

// askForHost is askFor for a host that a tool was kept from.
func (s *Session) askForHost(host string) string { return s.call(toolkit.Access{Host: host}) }

// call writes the call that requests access, if that call would need an approval.
func (s *Session) call(x toolkit.Access) string {
	if x == (toolkit.Access{}) {
		return ""
	}
	x, open, err := accessTool{s}.Check(x)
	if err != nil || open {
		return ""
	}
	v := s.guards.Judge(context.Background(), guard.Case{Call: tool.Call{Name: "request_access"}, Intent: s.normalize(x.Intent()), Mode: s.modeNow(),
		Root: s.workspace.Dir(), Isolation: guard.FullIsolation})
	if v.Decision == guard.Deny {
		return ""
	}
	return x.Call()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return path == "/" || err == nil && info.IsDir()
}
