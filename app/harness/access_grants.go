package harness

// The files access_*.go hold the access beyond the sandbox that sessions have: hosts and places by the settings, and what the user
// grants while a session runs, for one call or until the session ends. The guards, the proxy of the sandbox, commands, the
// file tools and the web tools all ask the same accessGrants.

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rein/app/settings"
	"rein/guard"
	"rein/guard/effect"
	"rein/internal/plainfile"
	"rein/kit/network"
	"rein/kit/sandbox"
	"rein/kit/tools"
	"rein/tool"
)

// accessGrants is the access that one session has beyond the sandbox: by the settings, and what the user granted since it began,
// until it ends or for one call, which takes the grant and has it until the call ends. Several goroutines may use it at once.
type accessGrants struct {
	options  accessOptions
	base     struct{ programs, tools *network.Policy } // by the settings
	programs atomic.Pointer[network.Policy]            // what holds now, for programs
	pages    atomic.Pointer[network.Policy]            // what holds now, for the pages of the browser
	key      string                                    // with which the browser shows the proxy who it is
	readOnly sync.Map                                  // ids of calls that may change nothing, because of their mode or that of their sub-agent

	mu      sync.Mutex
	settled sandbox.Opened                   // by the settings: the sandbox allows it from its start
	lasting []tools.AccessRequest            // until the session ends
	once    []tools.AccessRequest            // waiting for their call
	taken   map[string]callLease             // by the call that has them
	granted map[string][]tools.AccessRequest // by the call that was approved and has not begun
	files   map[tools.AccessRequest]func()   // close what the file tools have
	refused []refusedHost
}

// callLease is what one call has.
type callLease struct {
	user   accessUser
	access []tools.AccessRequest
}

// accessUser is who uses what a call has, beside the tool itself.
type accessUser int

const (
	noUser   accessUser = iota
	programs            // all programs of the session, while the call runs: they share a network
	pages               // pages of the browser, until it ends
)

// userOf is who uses what a call with a name and an intent has.
func userOf(name string, i tool.Intent) accessUser {
	switch {
	case i.Command != "":
		return programs
	case isBrowserTool(name):
		return pages
	}
	return noUser
}

// isBrowserTool reports whether a tool is one of the browser's.
func isBrowserTool(tool string) bool { return strings.HasPrefix(tool, "browser_") }

// open opens something for the next call that can use it, unless it was opened for longer.
func (g *accessGrants) open(x tools.AccessRequest) (lasts bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.Contains(g.lasting, x) {
		return true, nil
	}
	if err := g.toFiles(x); err != nil {
		return false, err
	}
	if !slices.Contains(g.once, x) {
		g.once = append(g.once, x)
	}
	return false, nil
}

// Keep opens something until the session ends, and permanently where a settings file is named; "": none.
func (g *accessGrants) Keep(x tools.AccessRequest, file string) error {
	if file != "" {
		for _, add := range settingsFor(x) {
			if err := settings.AddTo(file, add.list, add.value); err != nil {
				return err
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.toFiles(x); err != nil {
		return err
	}
	g.lasting = append(g.lasting, x)
	return g.settle()
}

// grantSetting is a value for a list in the settings.
type grantSetting struct{ list, value string }

// settingsFor returns the settings that hold an access permanently.
func settingsFor(x tools.AccessRequest) []grantSetting {
	switch {
	case x.Write != "":
		return []grantSetting{{"/files/write", x.Write}}
	case x.Read != "":
		return []grantSetting{{"/files/read", x.Read}}
	}
	all := []grantSetting{{"/network/allow", x.Host}}
	if isPrivate(x.Host) {
		all[0].list = "/network/private"
	}
	if x.Send {
		all = append(all, grantSetting{"/network/send", x.Host})
	}
	return all
}

// toFiles opens a place to the file tools; they have the workspace already.
func (g *accessGrants) toFiles(x tools.AccessRequest) error {
	place := x.Write + x.Read
	ws := g.options.Workspace
	if place == "" || g.files[x] != nil || slices.ContainsFunc(ws.Dirs(), func(dir string) bool { return plainfile.IsWithin(dir, place) }) {
		return nil
	}
	remove, err := ws.Add(place, x.Write != "")
	if err == nil {
		g.files[x] = remove
	}
	return err
}

// settle makes the policies of hosts for programs and for pages again. The programs of a session share one network, so theirs
// holds what any of them may contact.
func (g *accessGrants) settle() error {
	forPrograms, err := g.base.programs.With(hostRules(g.now(programs)))
	forPages, wrong := g.base.programs.With(hostRules(g.now(pages)))
	if err = errors.Join(err, wrong); err == nil {
		g.programs.Store(forPrograms)
		g.pages.Store(forPages)
	}
	return err
}

// ToolsOf returns the policy of hosts for one call of a web tool.
func (g *accessGrants) ToolsOf(call string) *network.Policy {
	g.mu.Lock()
	defer g.mu.Unlock()
	policy, err := g.base.tools.With(hostRules(append(slices.Clone(g.lasting), g.taken[call].access...)))
	if err != nil { // each rule was read when it was granted
		return g.base.tools
	}
	return policy
}

// hostRules are the rules that allow the hosts of grants.
func hostRules(grants []tools.AccessRequest) (more network.Rules) {
	for _, x := range grants {
		switch {
		case x.Host == "":
		case isPrivate(x.Host):
			more.Private = append(more.Private, x.Host)
		default:
			more.Allow = append(more.Allow, x.Host)
		}
	}
	return more
}

// now is what is open at this moment to a user.
func (g *accessGrants) now(u accessUser) []tools.AccessRequest {
	all := slices.Clone(g.lasting)
	for _, l := range g.taken {
		if l.user == u {
			all = append(all, l.access...)
		}
	}
	return all
}

// Around lets each call take what was opened for one call, and closes it when the call has ended.
func (g *accessGrants) Around(call tool.Call, intent tool.Intent, mode guard.Mode) (end func(error)) {
	done := g.take(call.ID, call.Name, intent)
	if mode <= guard.Plan {
		g.readOnly.Store(call.ID, true)
	}
	return func(error) {
		g.readOnly.Delete(call.ID)
		done()
	}
}

// take gives a call what was opened for the next one: all of it to a command, which may use any, and to others what they
// name.
func (g *accessGrants) take(call, name string, i tool.Intent) (done func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var mine []tools.AccessRequest
	g.once = slices.DeleteFunc(g.once, func(x tools.AccessRequest) bool {
		takes := !i.RequestsAccess && (name == "bash" || usesGrant(i, x))
		if takes {
			mine = append(mine, x)
		}
		return takes
	})
	mine = append(mine, g.granted[call]...)
	delete(g.granted, call)
	if len(mine) == 0 {
		return func() {}
	}
	g.taken[call] = callLease{userOf(name, i), mine}
	_ = g.settle() // each rule was read when it was opened
	return func() { g.giveBack(call) }
}

// Hold keeps what a call has after its end, until release is called.
func (g *accessGrants) Hold(call string) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := "held for " + call
	g.taken[key] = g.taken[call]
	return func() { g.giveBack(key) }
}

func (g *accessGrants) giveBack(call string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, x := range g.taken[call].access {
		if remove := g.files[x]; remove != nil && !slices.Contains(g.lasting, x) && !slices.Contains(g.once, x) {
			remove()
			delete(g.files, x)
		}
	}
	delete(g.taken, call)
	_ = g.settle()
}

// usesGrant reports whether a call names what was opened.
func usesGrant(i tool.Intent, x tools.AccessRequest) bool {
	for _, host := range i.Hosts {
		name, port := splitHost(host)
		t, err := network.ParseTarget(name, port)
		if match, _ := network.MatchHost([]string{x.Host}, t); x.Host != "" && err == nil && match {
			return true
		}
	}
	for _, name := range append(slices.Clone(i.Writes), i.Reads...) {
		if place := x.Write + x.Read; place != "" && filepath.IsAbs(name) && plainfile.IsWithin(place, name) {
			return true
		}
	}
	return false
}

// Of returns the places that a call's command may use, the ports at which it finds servers of this machine, those of the settings and those
// that were granted where something listens, and the servers of other machines that were granted.
func (g *accessGrants) Of(call string) sandbox.Opened {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := sandbox.Opened{Ports: slices.Clone(g.options.Network.LocalPorts)}
	for _, x := range append(slices.Clone(g.lasting), g.taken[call].access...) {
		switch port := localPort(effect.ContactOf(x.Host)); {
		case port != 0:
			if !slices.Contains(all.Ports, port) && isListening(port) {
				all.Ports = append(all.Ports, port)
			}
		case x.Host != "":
			all.Servers = append(all.Servers, serversAt(x.Host)...)
		case x.Write != "" && !slices.Contains(all.Write, x.Write):
			all.Write = append(all.Write, x.Write)
		case x.Read != "" && !slices.Contains(all.Read, x.Read):
			all.Read = append(all.Read, x.Read)
		}
	}
	return all
}

// OfCommand returns the places that were opened for a command that has not begun: it takes all that was opened for the next one.
func (g *accessGrants) OfCommand(call string) (all []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, x := range slices.Concat(g.lasting, g.once, g.granted[call]) {
		if place := x.Write + x.Read; place != "" {
			all = append(all, place)
		}
	}
	return all
}

// Places are the places that count as granted when a call is judged. Those for one call count only where the sandbox closes
// them again.
func (g *accessGrants) Places() (write, read []string) {
	closes := g.waiting() && g.options.Isolated()
	g.mu.Lock()
	defer g.mu.Unlock()
	write, read = slices.Clone(g.settled.Write), slices.Clone(g.settled.Read)
	list := g.lasting
	if closes {
		list = append(slices.Clone(list), g.once...)
	}
	for _, x := range list {
		if x.Write != "" {
			write = append(write, x.Write)
		}
		if x.Read != "" {
			read = append(read, x.Read)
		}
	}
	return write, read
}

// waiting reports whether something waits for its call.
func (g *accessGrants) waiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.once) > 0
}

// ReadOnly reports whether a call that runs may change nothing.
func (g *accessGrants) ReadOnly(call string) bool {
	_, is := g.readOnly.Load(call)
	return is
}
