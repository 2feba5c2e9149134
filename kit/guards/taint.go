package guards

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/places"
	"rein/kit/shell"
	"rein/tool"
)

// Taint is the guard that tracks what a session has read. It knows two kinds of data:
//
//   - Untrusted text: web pages, results of other people's tools, files from outside the workspace. Such text may contain
//     instructions for the model (prompt injection).
//   - Private data: files that may hold credentials. Injected instructions may try to send it away.
//
// A call that sends data away (a sink) needs an approval after the session has read untrusted text; a call that only
// contacts the network needs one after the session has read both kinds. The approval of a destination holds for later
// calls to it. Every approval request also shows which untrusted text the model has read since the user's last message.
//
// It keeps the newest texts with their labels (user, repository, memory, web, tool server, tool, sub-agent, file from
// outside). A call that is a sink and has words that only an untrusted text has needs the approval of a person, whatever the
// rules allow, and the request names the source with the passage: see judgeWords.
//
// Taint is an Observer. It learns what a session has read from the calls that ran.
type Taint struct {
	Programs Programs
	Own      func(c guard.Case, r *effect.Report) bool // what the servers of its own sandbox say is its own; nil: no command has any
	above    *Taint                                    // of the workspace that this one is a copy of: it remembers for both; nil: it is none

	lock     sync.Mutex
	sessions map[string]*taint // by id
}

// taint is what one session has read, and the destinations that were approved since.
type taint struct {
	recent             []string            // untrusted text that was read since the user's last message
	untrusted, private []string            // what was read since the session began
	asked              map[string][]string // by call: the destinations that it needs an approval for
	approved           map[string]bool     // destinations
	unread             []unreadCall        // calls of a resumed session whose commands nobody has parsed yet: see read
	heard              []passage           // the newest texts, with their labels
	old                int                 // how many of them were before the user's last message
}

// unreadCall is a call and its text.
type unreadCall struct {
	guard.Case
	text string
}

// maxTaint is how many names of each kind are kept. Whether something was read matters, not how much.
const maxTaint = 8

// Judge asks when a session that has read untrusted text would send something away.
func (t *Taint) Judge(_ context.Context, c guard.Case) guard.Verdict {
	defer t.locked()()
	s := t.known(c.Session)
	if t.read(s); s == nil || len(s.untrusted)+len(s.recent) == 0 {
		return guard.Verdict{} // the usual case, before anything is parsed
	}
	var v guard.Verdict
	if len(s.untrusted) > 0 {
		v = guard.Stricter(t.sink(s, c), t.judgeWords(s, c))
	}
	if i := c.Intent; len(s.recent) > 0 && (i.Command != "" || len(i.Writes)+len(i.Hosts) > 0 || i.Unknown) {
		v.Effects = []string{"after reading " + firstOf(maxTaint, s.recent)}
	}
	return v
}

// sink judges a call by where it would send data.
func (t *Taint) sink(s *taint, c guard.Case) guard.Verdict {
	v := guard.Verdict{Decision: guard.Ask, Guard: "taint", Hint: "Continue without the network, or tell the user what you would send and why."}
	flow, to := t.outward(c)
	switch {
	case flow == stays:
		return guard.Verdict{}
	case len(s.private) > 0:
		v.Severity, v.Rules = guard.High, []string{"taint.private"}
		v.PersonOnly = flow == sends
		v.Reason = "this session has read private data (" + firstOf(3, s.private) + ") and untrusted text (" + firstOf(3, s.untrusted) + "), and this call contacts the network"
		to = prefixEach("private ", to)
	case flow == sends:
		v.Severity, v.Rules = guard.Low, []string{"taint.untrusted"}
		v.Reason = "this session has read untrusted text (" + firstOf(3, s.untrusted) + "), and this call sends data away"
	default:
		return guard.Verdict{}
	}
	if s.isApproved(to) {
		return guard.Verdict{}
	}
	s.asked[c.Call.ID] = to
	return v
}

// prefixEach marks destinations, so that an approval in one state or for one kind of flow does not count in another.
func prefixEach(mark string, to []string) []string {
	var out []string
	for _, d := range to {
		out = append(out, mark+d)
	}
	return out
}

// isApproved reports whether all destinations of a call were approved before.
func (s *taint) isApproved(to []string) bool {
	for _, d := range to {
		if !s.approved[d] {
			return false
		}
	}
	return len(to) > 0
}

// Prompted forgets which untrusted text was read before the user's message; it no longer explains new calls. That
// something was read stays known.
func (t *Taint) Prompted(session string) {
	defer t.locked()()
	if s := t.known(session); s != nil {
		s.recent, s.old = nil, len(s.unread)
	}
}

// Said keeps what the user says: words that the user has written come from the user.
func (t *Taint) Said(session, text string) {
	defer t.locked()()
	s := t.of(session)
	s.heard = remember(s.heard, passage{origin: ofUser, raw: text})
}

// of finds what a session has read, or begins it. t.lock is held.
func (t *Taint) of(session string) *taint {
	s := t.known(session)
	if s == nil {
		s = &taint{asked: map[string][]string{}, approved: map[string]bool{}}
		top := t.top()
		if top.sessions == nil {
			top.sessions = map[string]*taint{}
		}
		top.sessions[session] = s
	}
	return s
}

// top is what remembers: the guard of the user's workspace, where this one is that of a copy of it.
func (t *Taint) top() *Taint {
	for t.above != nil {
		t = t.above
	}
	return t
}

func (t *Taint) known(session string) *taint { return t.top().sessions[session] }

func (t *Taint) locked() (unlock func()) {
	top := t.top()
	top.lock.Lock()
	return top.lock.Unlock
}

// Granted does nothing: an approval counts once the call has run.
func (t *Taint) Granted(guard.Case, guard.Answer) {}

// Refused forgets the destinations of a call that does not run.
func (t *Taint) Refused(c guard.Case, _ guard.Answer) {
	defer t.locked()()
	if s := t.known(c.Session); s != nil {
		delete(s.asked, c.Call.ID)
	}
}

// Ran records what a call has read, and that its destinations are approved where it needed an approval.
func (t *Taint) Ran(c guard.Case, r tool.Result) (note string) {
	later := c.Intent.Command != "" && c.Report == nil
	var read readData
	if !later {
		read = t.sources(c)
	}
	defer t.locked()()
	s := t.of(c.Session)
	for _, d := range s.asked[c.Call.ID] {
		s.approved[d] = true
	}
	delete(s.asked, c.Call.ID)
	if later {
		if n := len(s.unread) - mostTexts; n >= 0 {
			s.unread[n].text = ""
		}
		s.unread = append(s.unread, unreadCall{c, r.Text})
		return ""
	}
	s.has(read, true)
	s.heard = remember(s.heard, s.labelled(c, read, r.Text))
	return ""
}

// has notes what was read; now: since the user's last message.
func (s *taint) has(read readData, now bool) {
	if now {
		s.recent = joined(s.recent, read.untrusted, read.unnamed)
	}
	s.untrusted, s.private = upTo(s.untrusted, read.untrusted), upTo(s.private, read.private)
}

// read parses the commands of a session that was resumed. A long session has thousands, so that is done when the first call is
// judged and not before the first request. t.lock is held.
func (t *Taint) read(s *taint) {
	if s == nil {
		return
	}
	for i, c := range s.unread {
		read := t.sources(c.Case)
		s.has(read, i >= s.old)
		s.heard = remember(s.heard, s.labelled(c.Case, read, c.text))
	}
	s.unread, s.old = nil, 0
}

// mostTexts is how many results of a resumed session are kept until they are read.
const mostTexts = 200

// labelled is the text of a result with its label. What a sub-agent reports after something untrusted was read may come from there.
func (s *taint) labelled(c guard.Case, read readData, text string) passage {
	p := passage{origin: ofRepository, raw: text}
	switch name := foreignTool(c); {
	case strings.HasPrefix(name, "the tool server "):
		p.origin, p.name = ofServer, strings.TrimPrefix(name, "the tool server ")
	case c.Call.Name == agentTool:
		if len(s.untrusted) > 0 {
			p.origin, p.name = ofSubAgent, "after "+firstOf(3, s.untrusted)
		}
	case name != "":
		p.origin, p.name = ofTool, name
	case strings.HasPrefix(c.Call.Name, "memory_"):
		p.origin = ofMemory
	case len(read.untrusted) > 0 && (len(c.Intent.Hosts) > 0 || !strings.HasPrefix(read.untrusted[0], "/")):
		p.origin, p.name = ofWeb, read.untrusted[0]
	case len(read.untrusted) > 0:
		p.origin, p.name = ofOutside, read.untrusted[0]
	}
	return p
}

// agentTool is the tool that gives a sub-agent a task.
const agentTool = "agent"

// Untrusted names the untrusted text that a session has read since it began, the first few.
func (t *Taint) Untrusted(session string) []string {
	defer t.locked()()
	if s := t.known(session); s != nil {
		t.read(s)
		return s.untrusted
	}
	return nil
}

// joined returns a new list of all names, each once, in their order.
func joined(lists ...[]string) []string {
	var all []string
	for _, name := range slices.Concat(lists...) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

func upTo(have, more []string) []string {
	all := joined(have, more)
	return all[:min(len(all), maxTaint)]
}

// readData names what a call has read. unnamed is the network of a program that does not name a host, as an installer: it
// is shown, but it is not text that gives instructions to the model.
type readData struct{ untrusted, unnamed, private []string }

// sources names the untrusted text and the private data that a call reads.
func (t *Taint) sources(c guard.Case) readData {
	var read readData
	hosts, files := c.Intent.Hosts, c.Intent.Reads
	if c.Intent.Command != "" {
		r := t.Programs.Read(c)
		hosts, files = r.Hosts, r.Reads
		if t.Own != nil && t.Own(c, r) {
			hosts = nil
		}
		for _, f := range r.Findings {
			switch {
			case f.Class == effect.Private:
				read.private = []string{f.Why}
			case f.Class == effect.Network && len(r.Hosts) == 0:
				read.unnamed = []string{"the network"}
			}
		}
	}
	at := t.Programs.Here.Places(c)
	read.untrusted = append(read.untrusted, hosts...)
	for _, name := range files {
		place := places.Classify(name, at)
		switch shell.ReadClass(place) {
		case effect.Private, effect.SecretRead:
			read.private = joined([]string{name}, read.private)
		}
		if place == places.Outside {
			read.untrusted = append(read.untrusted, at.Abs(name))
		}
	}
	if name := foreignTool(c); name != "" {
		read.untrusted, read.unnamed = []string{name}, nil // its result is not only what it declares
	}
	return read
}

// foreignTool names a tool whose results are untrusted as a whole: a tool of an MCP server, a tool that does not
// declare what it does, and what shows past sessions.
func foreignTool(c guard.Case) string {
	if c.Call.Name == "session_search" || c.Call.Name == "schedule" {
		return "past sessions"
	}
	if name, ok := strings.CutPrefix(c.Call.Name, "mcp__"); ok {
		if server, _, ok := strings.Cut(name, "__"); ok {
			return "the tool server " + server
		}
	}
	if c.Intent.Unknown && c.Intent.Command == "" {
		return "the tool " + c.Call.Name
	}
	return ""
}

// flow is what leaves the machine with a call.
type flow uint8

const (
	stays    flow = iota // nothing reaches the network
	contacts             // an address is contacted; the address itself may carry a little
	sends                // data is sent, or published
)

// outward returns what leaves the machine with a call, and its destinations: hosts, or the kind of command. Sending data to
// a host and contacting it are two destinations. No destinations mean that they are not known.
func (t *Taint) outward(c guard.Case) (out flow, to []string) {
	switch {
	case c.Intent.Command != "":
		return t.commandOutward(c)
	case len(c.Intent.Hosts) > 0 && sendsBody(c.Call.Args):
		return sends, prefixEach("send ", c.Intent.Hosts)
	case len(c.Intent.Hosts) > 0:
		return contacts, prefixEach("contact ", c.Intent.Hosts)
	case (c.Effect&tool.Reaches != 0 || strings.HasPrefix(c.Call.Name, "mcp__") && c.Isolation != guard.FullIsolation) && (c.Intent.Unknown || c.Intent.IsZero()):
		return sends, []string{c.Call.Name}
	}
	return stays, nil
}

func (t *Taint) commandOutward(c guard.Case) (out flow, to []string) {
	r := t.Programs.Read(c)
	known, own := true, t.Own != nil && t.Own(c, r)
	for _, f := range r.Findings {
		switch f.Class {
		case effect.Network:
			if !own {
				out = max(out, contacts)
			}
		case effect.Install, effect.RemoteCode:
			out = max(out, contacts)
		case effect.Publish, effect.Upload, effect.RemoteChange, effect.RemoteShell, effect.Exfil:
			out = sends
		}
		part := r.PartOf(f)
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

// sendsBody reports whether the arguments of a web tool send more than a request for a page.
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
