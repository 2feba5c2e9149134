package harness

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rein/guard"
	"rein/netpolicy"
	"rein/sandbox"
	"rein/tool"
	"rein/toolcall"
	"rein/toolkit"
)

// accessGrants is the access that the user granted beyond the sandbox since the session began: until the session ends, or
// for one call, which takes the grant and has it until the call ends.
type accessGrants struct {
	base     struct{ programs, tools *netpolicy.Policy } // by the settings
	send     []string                                    // hosts to which plain HTTP sends, by the settings
	programs atomic.Pointer[netpolicy.Policy]            // what holds now, for programs

	readOnly sync.Map // ids of calls that may change nothing, because of their mode or that of their sub-agent

	mu      sync.Mutex
	settled sandbox.Opened                     // by the settings: the sandbox allows it from its start
	lasting []toolkit.Access                   // until the session ends
	once    []toolkit.Access                   // waiting for their call
	taken   map[string][]toolkit.Access        // by the call that has them
	granted map[string][]toolkit.Access        // by the call that was approved and has not begun
	files   map[toolkit.Access]func()          // close what the file tools have
	add     func(string, bool) (func(), error) // opens a place to the file tools
	refused []refusedHost
}

// refusedHost is a host that programs were kept from.
type refusedHost struct {
	host string
	at   time.Time
}

func newAccessGrants(programs, tools *netpolicy.Policy, send []string) *accessGrants {
	o := &accessGrants{send: send, taken: map[string][]toolkit.Access{}, granted: map[string][]toolkit.Access{}, files: map[toolkit.Access]func(){}}
	o.base.programs, o.base.tools = programs, tools
	o.programs.Store(programs)
	return o
}

// open opens something for the next call that can use it, unless it was opened for longer.
func (o *accessGrants) open(x toolkit.Access) (lasts bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(o.lasting, x) {
		return true, nil
	}
	if err := o.toFiles(x); err != nil {
		return false, err
	}
	if !slices.Contains(o.once, x) {
		o.once = append(o.once, x)
	}
	return false, nil
}

// keep opens something until the session ends.
func (o *accessGrants) keep(x toolkit.Access) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.toFiles(x); err != nil {
		return err
	}
	o.lasting = append(o.lasting, x)
	return o.settle()
}

// toFiles opens a place to the file tools; they have the workspace already.
func (o *accessGrants) toFiles(x toolkit.Access) error {
	place := x.Write + x.Read
	if place == "" || o.files[x] != nil || o.add == nil {
		return nil
	}
	remove, err := o.add(place, x.Write != "")
	if err == nil && remove != nil {
		o.files[x] = remove
	}
	return err
}

// addPlace opens a place to the file tools, unless they have it with the workspace.
func (s *Session) addPlace(path string, write bool) (remove func(), err error) {
	if slices.ContainsFunc(s.workspace.Dirs(), func(dir string) bool { return within(dir, path) }) {
		return nil, nil
	}
	return s.workspace.Add(path, write)
}

// settle makes the policy of hosts for programs anew. The programs of a session share one network, so it holds what any of
// them may contact.
func (o *accessGrants) settle() error {
	programs, err := o.base.programs.With(hostRules(o.now()))
	if err == nil {
		o.programs.Store(programs)
	}
	return err
}

// toolsOf gives the policy of hosts for one call of a web tool.
func (o *accessGrants) toolsOf(call string) *netpolicy.Policy {
	o.mu.Lock()
	defer o.mu.Unlock()
	policy, err := o.base.tools.With(hostRules(append(slices.Clone(o.lasting), o.taken[call]...)))
	if err != nil { // each rule was read when it was granted
		return o.base.tools
	}
	return policy
}

// hostRules are the rules that allow the hosts of grants.
func hostRules(grants []toolkit.Access) (more netpolicy.Rules) {
	for _, x := range grants {
		switch {
		case x.Host == "":
		case isPrivateHost(x.Host):
			more.Private = append(more.Private, x.Host)
		default:
			more.Allow = append(more.Allow, x.Host)
		}
	}
	return more
}

// approved opens what an approved call contacts, for this call. It holds when the call begins, until it ends.
func (o *accessGrants) approved(call string, hosts []toolkit.Access) {
	if len(hosts) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.granted[call] = hosts
}

// now is what is open at this moment, to anybody.
func (o *accessGrants) now() []toolkit.Access {
	all := slices.Clone(o.lasting)
	for _, list := range o.taken {
		all = append(all, list...)
	}
	return all
}

// around lets each call take what was opened for one call, and closes it when the call has ended.
func (o *accessGrants) around(g toolcall.Granted) (end func(error)) {
	call := g.Call()
	done := o.take(call.ID, call.Name, g.Intent())
	if g.Mode() <= guard.Plan {
		o.readOnly.Store(call.ID, true)
	}
	return func(error) {
		o.readOnly.Delete(call.ID)
		done()
	}
}

// take gives a call what was opened for the next one: all of it to a command, which may use any, and to others what they
// name.
func (o *accessGrants) take(call, name string, i tool.Intent) (done func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var mine []toolkit.Access
	o.once = slices.DeleteFunc(o.once, func(x toolkit.Access) bool {
		takes := !i.RequestsAccess && (name == "bash" || uses(i, x))
		if takes {
			mine = append(mine, x)
		}
		return takes
	})
	mine = append(mine, o.granted[call]...)
	delete(o.granted, call)
	if len(mine) == 0 {
		return func() {}
	}
	o.taken[call] = mine
	_ = o.settle() // each rule was read when it was opened
	return func() { o.giveBack(call) }
}

// hold keeps what a call has after its end, until release is called.
func (o *accessGrants) hold(call string) (release func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := "held for " + call
	o.taken[key] = o.taken[call]
	return func() { o.giveBack(key) }
}

func (o *accessGrants) giveBack(call string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, x := range o.taken[call] {
		if remove := o.files[x]; remove != nil && !slices.Contains(o.lasting, x) && !slices.Contains(o.once, x) {
			remove()
			delete(o.files, x)
		}
	}
	delete(o.taken, call)
	_ = o.settle()
}

// uses reports whether a call names what was opened.
func uses(i tool.Intent, x toolkit.Access) bool {
	for _, host := range i.Hosts {
		name, port := splitHost(host)
		t, err := netpolicy.ParseTarget(name, port)
		if match, _ := netpolicy.MatchHost([]string{x.Host}, t); x.Host != "" && err == nil && match {
			return true
		}
	}
	for _, name := range append(slices.Clone(i.Writes), i.Reads...) {
		if place := x.Write + x.Read; place != "" && filepath.IsAbs(name) && within(place, name) {
			return true
		}
	}
	return false
}

// within reports whether a path is a place or below it.
func within(place, path string) bool {
	rel, err := filepath.Rel(place, path)
	return err == nil && filepath.IsLocal(rel)
}

// of gives the places that a call's command may use.
func (o *accessGrants) of(call string) sandbox.Opened {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all sandbox.Opened
	for _, x := range append(slices.Clone(o.lasting), o.taken[call]...) {
		switch {
		case x.Write != "" && !slices.Contains(all.Write, x.Write):
			all.Write = append(all.Write, x.Write)
		case x.Read != "" && !slices.Contains(all.Read, x.Read):
			all.Read = append(all.Read, x.Read)
		}
	}
	return all
}

// places are the places that count as granted when a call is judged. Those for one call count only where the sandbox
// closes them again.
func (o *accessGrants) places(isolation bool) (write, read []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	write, read = slices.Clone(o.settled.Write), slices.Clone(o.settled.Read)
	list := o.lasting
	if isolation {
		list = append(slices.Clone(list), o.once...)
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

// pending reports whether something waits for its call.
func (o *accessGrants) pending() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.once) > 0
}

// knows reports whether a host was allowed: by the settings, or opened since.
func (o *accessGrants) knows(t netpolicy.Target) bool {
	if o.programs.Load().Check(t) == nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.once, func(x toolkit.Access) bool {
		match, err := netpolicy.MatchHost([]string{x.Host}, t)
		return x.Host != "" && err == nil && match
	})
}

// sends reports whether every method of plain HTTP passes to a host.
func (o *accessGrants) sends(t netpolicy.Target) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	hosts := slices.Clone(o.send)
	for _, x := range o.now() {
		if x.Send {
			hosts = append(hosts, x.Host)
		}
	}
	match, err := netpolicy.MatchHost(hosts, t)
	return err == nil && match
}

const mostRefused = 64 // hosts that are remembered

// refusedHost remembers a host that a program was kept from.
func (o *accessGrants) refusedHost(host string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
	o.refused = append(o.refused, refusedHost{host, time.Now()})
	if len(o.refused) > mostRefused {
		o.refused = slices.Delete(o.refused, 0, len(o.refused)-mostRefused)
	}
}

// refusedSince gives the hosts that programs were kept from since a moment.
func (o *accessGrants) refusedSince(since time.Time) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var hosts []string
	for _, r := range o.refused {
		if r.at.After(since) && !slices.Contains(hosts, r.host) {
			hosts = append(hosts, r.host)
		}
	}
	return hosts
}
