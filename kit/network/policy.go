// Package network decides where rein itself may connect: one policy for the web tools, the sandbox's proxy and
// MCP over HTTP, and the proxy itself. Names are judged by host rules. Addresses are judged at the moment of dialling, on the address
// that is dialled, so an unusual spelling, a second DNS answer or a redirect cannot get around the policy.
package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Resolver looks names up; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Rules lists the hosts that may be reached. The zero Rules allow none.
//
// A rule is a name (example.com: that name alone), *.example.com (what is below it, by whole labels), * (every
// host), an address or a range (10.0.0.0/8). Without :port, rules that allow mean ports 80 and 443, and rules that
// deny mean every port; :* means every port.
type Rules struct {
	Allow   []string // hosts that may be reached at public addresses
	Private []string // hosts that may also be reached at loopback, private and shared addresses; never metadata or link-local
	Deny    []string // hosts and addresses that may not be reached; wins over the others
}

// Options are the policy's parts.
type Options struct {
	Rules
	Resolver Resolver            // nil means the system's
	Own      func() []netip.Addr // returns this machine's addresses; nil: as the system lists them
}

// Policy is a compiled set of rules. It never changes and may be used at once by many. A nil Policy allows nothing.
type Policy struct {
	allow, private, deny []pattern
	resolver             Resolver
	own                  func() []netip.Addr
	dial                 func(ctx context.Context, network, addr string) (net.Conn, error) // tests only
}

// New compiles the rules. An error names the first rule that cannot be read: a rule that is not understood must
// never mean "no rule".
func New(o Options) (*Policy, error) {
	p := &Policy{resolver: o.Resolver, own: o.Own}
	var err error
	if p.allow, err = parsePatterns(o.Allow); err != nil {
		return nil, err
	}
	if p.private, err = parsePatterns(o.Private); err != nil {
		return nil, err
	}
	if p.deny, err = parsePatterns(o.Deny); err != nil {
		return nil, err
	}
	for _, a := range p.allow {
		if a.prefix.IsValid() && Classify(a.prefix.Addr()) != Public {
			return nil, fmt.Errorf("host rule %q: %s addresses are opened by a private rule", a.text, Classify(a.prefix.Addr()))
		}
	}
	for _, a := range p.private {
		if a.prefix.IsValid() && a.prefix.IsSingleIP() && Classify(a.prefix.Addr()) > Shared {
			return nil, fmt.Errorf("host rule %q: %s addresses are never reached", a.text, Classify(a.prefix.Addr()))
		}
	}
	if p.resolver == nil {
		p.resolver = net.DefaultResolver
	}
	if p.own == nil {
		p.own = new(interfaces).addrs
	}
	return p, nil
}

// With returns a policy that reaches what the rules name, too. What p denies stays denied.
func (p *Policy) With(r Rules) (*Policy, error) {
	more, err := New(Options{Rules: r, Resolver: p.resolver, Own: p.own})
	if err != nil {
		return nil, err
	}
	more.dial = p.dial
	more.allow = append(more.allow, p.allow...)
	more.private = append(more.private, p.private...)
	more.deny = append(more.deny, p.deny...)
	return more, nil
}

// ForURL returns the policy that reaches exactly the host and port of a URL which the user wrote down: a server of
// MCP, for example. Naming it opens private and loopback addresses for it, but never metadata or link-local ones.
func ForURL(raw string) (*Policy, error) {
	_, t, err := ParseURL(raw)
	if err != nil {
		return nil, err
	}
	return New(Options{Rules: Rules{Private: []string{t.String()}}})
}

// isMetadataName reports whether clouds serve credentials under a name, whatever it resolves to.
func isMetadataName(host string) bool {
	switch host {
	case "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.tencentyun.com":
		return true
	}
	return strings.HasSuffix(host, ".metadata.google.internal")
}

// Check judges a target by the rules, without the network: its name, its port and, when the host is a literal
// address, that address. A nil error does not spare the check of the addresses that a name resolves to.
func (p *Policy) Check(t Target) error {
	_, err := p.grant(t)
	if r, ok := err.(*Refusal); ok && t.Addr.IsValid() {
		// To allow the host or its port would not help.
		if class := Classify(t.Addr); class != Public && (r.Rule == OtherPort || r.Rule == NotAllowed && !class.openable()) {
			return addressRefusal(t, t.Addr, class)
		}
	}
	if err == nil && t.Addr.IsValid() {
		return p.CheckAddr(t, t.Addr)
	}
	return err
}

// grant finds the rule that allows a target; private means that it opens more than public addresses.
func (p *Policy) grant(t Target) (private bool, err error) {
	if p == nil {
		return false, &Refusal{Rule: NotAllowed, Host: t.Host, Text: "no network is allowed here"}
	}
	if isMetadataName(t.Host) {
		return false, &Refusal{Rule: "address", Host: t.Host, Text: "cloud metadata services are never reached"}
	}
	for _, d := range p.deny {
		if d.matches(t) && d.closes(t.Port) {
			return false, &Refusal{Rule: "denied", Host: t.Host, Text: "denied by the rule " + d.text, Hint: "continue without this host"}
		}
	}
	if named, open := find(p.private, t); open {
		return true, nil
	} else if named2, open := find(p.allow, t); open {
		return false, nil
	} else if named || named2 {
		return false, &Refusal{Rule: OtherPort, Host: t.String(), Text: "the host is allowed, but not this port", Hint: "use port 443 or 80, or ask the user to allow " + t.String()}
	}
	return false, &Refusal{Rule: NotAllowed, Host: t.Host, Text: "not on the list of allowed hosts", Hint: p.hint(t)}
}

// find reports whether a rule of the list names the host, and whether one of them opens its port.
func find(list []pattern, t Target) (named, open bool) {
	for _, a := range list {
		if a.matches(t) {
			named = true
			open = open || a.opens(t.Port)
		}
	}
	return named, open
}

// hint reports which hosts are allowed, a few of them, so that the model need not guess.
func (p *Policy) hint(t Target) string {
	var names []string
	for _, a := range append(p.allow[:len(p.allow):len(p.allow)], p.private...) {
		names = append(names, a.text)
	}
	if len(names) == 0 {
		return "no host is allowed; ask the user to allow " + t.Host
	}
	const few = 12
	more := ""
	if len(names) > few {
		names, more = names[:few], ", …"
	}
	return "allowed: " + strings.Join(names, ", ") + more + "; or ask the user to allow " + t.Host
}

// CheckAddr judges the address at which a target would be dialled.
func (p *Policy) CheckAddr(t Target, a netip.Addr) error {
	private, err := p.grant(t)
	if err != nil {
		return err
	}
	class := p.classify(a)
	if d, denied := p.deniesAddr(a, t.Port); denied {
		return &Refusal{Rule: "denied", Host: t.Host, Addr: a, Text: "its address " + a.String() + " is denied by the rule " + d}
	}
	if class == Public || private && class.openable() {
		return nil
	}
	return addressRefusal(t, a, class)
}

func addressRefusal(t Target, a netip.Addr, class Class) *Refusal {
	r := &Refusal{Rule: "address", Host: t.Host, Addr: a, Text: "its address " + a.String() + " is a " + class.String() + " address", Hint: "only public addresses are reached"}
	if t.Addr.IsValid() {
		r.Text = "a " + class.String() + " address"
	}
	if class.openable() {
		r.Hint = "only public addresses are reached, unless the user opens " + t.String() + " with a private rule"
	}
	return r
}

// classify is Classify with a class for this machine's own addresses.
func (p *Policy) classify(a netip.Addr) Class {
	class := Classify(a)
	if class == Public && slices.Contains(p.own(), a.Unmap()) {
		return Own
	}
	return class
}

func (p *Policy) deniesAddr(a netip.Addr, port uint16) (string, bool) {
	t := Target{Addr: a.Unmap(), Port: port}
	for _, d := range p.deny {
		if d.prefix.IsValid() && d.matches(t) && d.closes(port) {
			return d.text, true
		}
	}
	return "", false
}
