package guard

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"rein/guard/shell"
	"rein/places"
	"rein/tool"
)

// Trail is the guard that remembers what a session has read. Text that strangers wrote (pages of the web, answers of other
// servers, files from outside the workspace) may hold orders; private data may be what they are after. A call that would send
// something away is asked about when both were read, and what sends data already when the first was.
// Exposure tells what was read. It is told which calls ran.
type Trail struct {
	Programs Programs

	lock sync.Mutex
	read map[string]*trail // by session
}

// trail is what one session has read, and where it was let send to since.
type trail struct {
	strangers, private []string            // names of what was read, without repetitions
	asked              map[string][]string // by call: where it would go, until it runs
	let                map[string]bool     // where a person, or a rule, has let it go
}

// maxTrail is how many names of each kind are kept; that something was read counts, not how much.
const maxTrail = 8

// Judge asks where a session that has read what it should not mix would send something away.
func (t *Trail) Judge(_ context.Context, c Case) Verdict {
	t.lock.Lock()
	defer t.lock.Unlock()
	s := t.read[c.Session]
	if s == nil || len(s.strangers) == 0 {
		return Verdict{} // the usual case, before anything is parsed
	}
	var v Verdict
	out, to := t.outward(c)
	switch {
	case out == stays:
		return v
	case len(s.private) > 0:
		v.Decision, v.Severity, v.Rules = Ask, High, []string{"trail.both"}
		v.Reason = "this session has read private data (" + few(s.private) + ") and text of strangers (" + few(s.strangers) + "), and this would reach the network"
		to = prefixEach("both ", to)
	case out == sends:
		v.Decision, v.Severity, v.Rules = Ask, Low, []string{"trail.strangers"}
		v.Reason = "this session has read text of strangers (" + few(s.strangers) + "), and this would send data away"
	default:
		return v
	}
	if s.wasLet(to) {
		return Verdict{}
	}
	s.asked[c.Call.ID] = to
	v.Guard, v.Hint = "trail", "go on without the network, or tell the user what you would send and why"
	return v
}

// prefixEach keeps what is let in one state, or in one way, apart from what is let in another.
func prefixEach(mark string, to []string) []string {
	var out []string
	for _, d := range to {
		out = append(out, mark+d)
	}
	return out
}

// wasLet reports whether the session was let go everywhere where a call would go.
func (s *trail) wasLet(to []string) bool {
	for _, d := range to {
		if !s.let[d] {
			return false
		}
	}
	return len(to) > 0
}

// Ran notes what a call that ran has read, and that it was let send where it was asked about.
func (t *Trail) Ran(c Case) {
	strangers, private := t.sources(c)
	t.lock.Lock()
	defer t.lock.Unlock()
	s := t.read[c.Session]
	switch {
	case s == nil && len(strangers)+len(private) == 0:
		return
	case s == nil:
		s = &trail{asked: map[string][]string{}, let: map[string]bool{}}
		if t.read == nil {
			t.read = map[string]*trail{}
		}
		t.read[c.Session] = s
	}
	for _, d := range s.asked[c.Call.ID] {
		s.let[d] = true
	}
	delete(s.asked, c.Call.ID)
	s.strangers, s.private = upTo(s.strangers, strangers), upTo(s.private, private)
}

func upTo(have, more []string) []string {
	all := union(have, more)
	return all[:min(len(all), maxTrail)]
}

// sources names what a call reads of strangers, and what of private data. What programs say of a network that they reach by
// themselves, as installers do, is no text that gives orders.
func (t *Trail) sources(c Case) (strangers, private []string) {
	for _, name := range (&Exposure{Programs: t.Programs}).sources(c) {
		if name != unnamed {
			strangers = append(strangers, name)
		}
	}
	reads := c.Intent.Reads
	if c.Intent.Command != "" {
		r := t.Programs.Read(c)
		reads = r.Reads
		for _, f := range r.Findings {
			if f.Class == shell.Private {
				private = []string{f.Why}
			}
		}
	}
	at := t.Programs.Here.places(c)
	for _, name := range reads {
		switch shell.ReadClass(places.Classify(name, at)) {
		case shell.Private, shell.SecretRead:
			private = union([]string{name}, private)
		}
	}
	return strangers, private
}

// flow is what a call lets out.
type flow uint8

const (
	stays flow = iota // nothing reaches the network
	asks              // an address is reached, which may carry a little
	sends             // data is sent, or published
)

// outward tells what a call lets out, and where to: hosts, or what kind of command it is. Data sent is another thing than an
// address asked for. Nowhere means that it cannot be told.
func (t *Trail) outward(c Case) (out flow, to []string) {
	switch {
	case c.Intent.Command != "":
		return t.commandOutward(c)
	case len(c.Intent.Hosts) > 0 && sendsBody(c.Call.Args):
		return sends, prefixEach("sends ", c.Intent.Hosts)
	case len(c.Intent.Hosts) > 0:
		return asks, prefixEach("asks ", c.Intent.Hosts)
	case (c.Effect&tool.Reaches != 0 || strings.HasPrefix(c.Call.Name, "mcp__")) && (c.Intent.Unknown || c.Intent.IsZero()):
		return sends, []string{c.Call.Name}
	}
	return stays, nil
}

func (t *Trail) commandOutward(c Case) (out flow, to []string) {
	r := t.Programs.Read(c)
	known := true
	for _, f := range r.Findings {
		switch f.Class {
		case shell.Network, shell.Install, shell.RemoteCode:
			out = max(out, asks)
		case shell.Publish, shell.Upload, shell.RemoteChange, shell.RemoteShell, shell.Exfil:
			out = sends
		}
		part := partAt(r, f)
		if known = known && part != nil && part.Literal; known {
			prefix, _ := shell.Prefix(part.Words)
			to = append(to, strings.Join(prefix, " "))
		}
	}
	if !known {
		to = nil
	}
	return out, to
}

// sendsBody reports whether the arguments of a web tool ask for more than an answer.
func sendsBody(args json.RawMessage) bool {
	var in struct{ Method, Body string }
	if json.Unmarshal(args, &in) != nil {
		return true
	}
	switch strings.ToUpper(in.Method) {
	case "", "GET", "HEAD", "OPTIONS":
		return in.Body != ""
	}
	return true
}
