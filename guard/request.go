package guard

import (
	"encoding/json"
	"slices"
	"strings"

	"rein/guard/preset"
	"rein/guard/shell"
	"rein/tool"
)

// Request is an approval request as data: exactly what would run, what it would do and open, and why a person must
// approve it. User interfaces show it as they like; Lines renders it as text.
type Request struct {
	Session string `json:"session,omitempty"`
	Call    string `json:"call"` // id of the call
	Tool    string `json:"tool"`
	Depth   int    `json:"depth,omitempty"` // 0 for the user's own session, 1 for its sub-agents, …
	Mode    string `json:"mode"`

	// Command is the whole command line, Cwd where it starts, relative to the workspace. Marks are the parts of Command
	// that need the approval.
	Command string `json:"command,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Marks   []Span `json:"marks,omitempty"`
	// Args are the exact arguments of a call without a command; nil where Diff shows all of them.
	Args json.RawMessage `json:"args,omitempty"`
	Diff []string        `json:"diff,omitempty"` // lines of the change to files

	// What the call would do, as far as it is known. Paths are absolute for a command, else as the model gave them.
	Effects  []string  `json:"effects,omitempty"` // all of it, in words
	Reads    []string  `json:"reads,omitempty"`
	Writes   []string  `json:"writes,omitempty"`
	Removes  []string  `json:"removes,omitempty"`
	Programs []string  `json:"programs,omitempty"`
	Contacts []Contact `json:"contacts,omitempty"`
	// Network means that the call contacts the network. It may contact more hosts than Contacts, or, where Contacts is
	// empty, hosts that are not known before it runs.
	Network bool `json:"network,omitempty"`
	// Questions are what the call asks the user. Args is nil then.
	Questions *tool.Questions `json:"questions,omitempty"`
	// GrantsAccess means that an approval would let later calls use Reads, Writes and Contacts.
	GrantsAccess bool `json:"grants_access,omitempty"`

	Severity string   `json:"severity"`
	Guard    string   `json:"guard,omitempty"` // who wants the approval
	Rules    []string `json:"rules,omitempty"` // ids of the rules that matched
	Reason   string   `json:"reason,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	RuleAt   string   `json:"rule_at,omitempty"` // file:line of the user's rule, if one decided

	// Hash is that of the call's Binding: an answer holds for exactly this.
	Hash string `json:"hash"`
	// Always are the rules that a lasting approval would make, as they are written. DescribeRequest leaves them out: package
	// guard/rule offers them. None: only an approval of this call is on offer.
	Always []string `json:"always,omitempty"`
}

// Span is a range of bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Contact is a network address that an approval would open.
type Contact struct {
	shell.Contact
	// Preset names the list of hosts that the address comes from: "npm". The command does not name the host itself.
	Preset string `json:"preset,omitempty"`
}

// String returns host:port/path, with the preset.
func (c Contact) String() string {
	if c.Preset == "" {
		return c.Contact.String()
	}
	return c.Contact.String() + " (" + preset.Prefix + c.Preset + ")"
}

// Change is what a call would change in files.
type Change struct {
	Lines []string // a diff
	Whole bool     // it shows all that the arguments say, so they need not be shown
}

// DescribeRequest puts the approval request of a call together.
func DescribeRequest(c Case, v Verdict, p Programs, change Change) Request {
	r := Request{
		Session: c.Session, Call: c.Call.ID, Tool: c.Call.Name, Depth: c.Depth, Mode: c.Mode.String(),
		Command: c.Intent.Command, Cwd: c.Intent.Cwd, Diff: change.Lines,
		Effects: v.Effects, Reads: c.Intent.Reads, Writes: c.Intent.Writes, GrantsAccess: c.Intent.RequestsAccess,
		Severity: v.Severity.String(), Guard: v.Guard, Rules: v.Rules, Reason: v.Reason, Hint: v.Hint, RuleAt: v.RuleAt,
		Hash: c.Binding().Hash(),
	}
	r.Contacts, r.Network = p.Contacts(c)
	if c.Intent.Command != "" {
		report := p.Read(c)
		r.Reads, r.Writes, r.Removes, r.Programs = report.Reads, report.Writes, report.Removes, report.Programs
		r.Marks = marks(report, c)
		return r
	}
	if r.Questions = c.Intent.Questions; r.Questions == nil && !change.Whole {
		r.Args = c.Call.Args
	}
	return r
}

// Contacts returns the network addresses that a call would contact, as far as they are known before it runs, and whether it
// contacts the network at all.
func (p Programs) Contacts(c Case) (all []Contact, network bool) {
	if c.Intent.Command != "" {
		all, network = contactsOf(p.Read(c))
		if s := c.Intent.Surroundings; s != nil {
			for _, remote := range s.Remotes {
				if contact := (Contact{Contact: shell.ContactOf(remote)}); !slices.Contains(all, contact) {
					all = append(all, contact)
				}
			}
		}
		return all, network || len(all) > 0
	}
	for _, h := range c.Intent.Hosts {
		all = append(all, Contact{Contact: addressOf(h, c.Call.Args)})
	}
	return all, len(all) > 0 || c.Effect&tool.Reaches != 0
}

// marks are the parts of a command that the mode does not allow by itself.
func marks(report *shell.Report, c Case) []Span {
	var all []Span
	seen := map[Span]bool{}
	for _, f := range report.Findings {
		m := Span{f.Start, f.End}
		if d, _ := Decide(f.Class, c.Mode, c.Isolation); d == Allow || f.End > len(c.Intent.Command) || f.Start >= f.End || seen[m] {
			continue
		}
		seen[m] = true
		all = append(all, m)
	}
	return all
}

// contactsOf are the addresses of a command: those in its text, and those that its installers are known to contact.
func contactsOf(report *shell.Report) (all []Contact, network bool) {
	for _, c := range report.Contacts {
		all = append(all, Contact{Contact: c})
	}
	for _, f := range report.Findings {
		switch f.Class {
		case shell.Upload, shell.RemoteShell:
			network = true
			continue
		case shell.Network, shell.Install, shell.Publish, shell.RemoteCode, shell.RemoteChange:
			network = true
		default:
			continue
		}
		list, _ := preset.Of(f.Program)
		for _, host := range list.Hosts {
			c := Contact{Contact: shell.Contact{Host: host, Port: 443}, Preset: list.Name}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all, network || len(all) > 0
}

// addressOf is the address of a host that a call declares; its URL, where the arguments have one for this host, has more.
func addressOf(host string, args json.RawMessage) shell.Contact {
	var in struct {
		URL string `json:"url"`
	}
	want := shell.ContactOf(host)
	if json.Unmarshal(args, &in) != nil || !strings.Contains(in.URL, "://") {
		return want
	}
	if c := shell.ContactOf(in.URL); c.Host == want.Host && (want.Port == 0 || want.Port == c.Port) {
		return c
	}
	return want
}
