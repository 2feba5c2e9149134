package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rein/app/inbox"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/guards"
	"rein/kit/tools"
)

// Request is an approval request as a person in this process sees it: the stored data, the case behind it, and what the
// face needs to agree with other clients.
type Request struct {
	inbox.Request
	Case    guard.Case
	Verdict guard.Verdict

	// Covered returns the answer when a lasting approval that was given meanwhile covers the call; else Abstain. Nil: none.
	Covered func(context.Context) (guard.Answer, error)
	// Claim makes an answer count, in this process and all others, and stores it for as long as its scope lasts. If another
	// client answered first, Claim gives that client's answer. Nil: there are no other clients.
	Claim func(guard.Answer) (guard.Answer, error)
}

// HighRisk reports whether the request must be answered separately, never together with others.
func (r *Request) HighRisk() bool {
	return r.Shown.Alone() || r.Verdict.Severity > guard.Low || r.Intent.Questions != nil
}

// request puts together what a person is shown for a call.
func (a *approvals) request(c guard.Case, v guard.Verdict) *Request {
	if why, ok := a.void.Load(c.Call.ID); ok {
		v.Reason = fmt.Sprintf("an answer did not count, because %s; %s", why, v.Reason)
	}
	r := &Request{Case: c, Verdict: v, Request: inbox.Request{
		Session: c.Session, Call: c.Call.ID, Tool: c.Call.Name, Args: c.Call.Args, Dir: c.Root, Depth: c.Depth, Agent: c.Agent, SubAgent: c.SubAgent, Time: time.Now(), Intent: c.Intent,
		Verdict: event.Verdict{Decision: v.Decision.String(), Severity: v.Severity.String(), Reason: v.Reason, Rules: v.Rules, RuleAt: v.RuleAt, Effects: v.Effects},
		Hash:    c.Binding().Hash(), Epoch: c.Epoch, Root: c.RootID, Files: a.fingerprint(c),
	}}
	r.Covered = func(ctx context.Context) (guard.Answer, error) {
		if answer, err := a.guards.Rules.Approve(ctx, c, v); err != nil || answer.Choice != guard.Abstain {
			return answer, err
		}
		return a.others.Approve(ctx, c, v)
	}
	r.Claim = func(answer guard.Answer) (guard.Answer, error) {
		first, err := a.h.inbox.Claim(c, answer)
		if err == nil && first == answer {
			first = a.kept(c, first)
		}
		return first, err
	}
	if c.Intent.RequestsAccess {
		a.describeAccess(r)
		return r
	}
	shown, lasting := a.describe(c, v), guards.OfferRules(c, v, a.guards.Programs)
	if len(lasting) > 0 {
		r.Scopes = a.scopes("", lasting)
		shown.Always = r.Scopes[0].Rules
	}
	r.Lines, r.Shown = shown.Lines(), shown
	return r
}

// describe returns the request in words. For a call that changes files it shows the real diff instead of the arguments;
// when the diff cannot be worked out or is too long, the arguments stay.
func (a *approvals) describe(c guard.Case, v guard.Verdict) guard.Request {
	var shown guards.Change
	if changes, err := a.files.Preview(c.Call.Name, c.Call.Args); err == nil {
		shown.Whole = true
		for _, change := range changes {
			lines, all := change.Lines()
			shown.Lines, shown.Whole = append(shown.Lines, lines...), shown.Whole && all
		}
	}
	r := guards.DescribeRequest(c, v, a.guards.Programs, shown)
	for _, o := range a.guards.Origins(c) {
		r.Origins = append(r.Origins, guard.Origin{Words: a.h.mask.String(o.Words), From: a.h.mask.String(o.From), Text: a.h.mask.String(o.Text)})
	}
	return r
}

// scopes are the ways in which an approval may last. what is put before where it is kept.
func (a *approvals) scopes(what string, rules []guards.Rule) []inbox.Scope {
	var texts []string
	for _, r := range rules {
		texts = append(texts, r.String())
	}
	project, user := a.settingsFiles()
	return []inbox.Scope{
		{Scope: guard.ForSession, Text: what + "for this session", Rules: texts},
		{Scope: guard.ForProject, Text: what + "for this project, kept in " + project, Rules: texts},
		{Scope: guard.Always, Text: what + "for all projects, kept in " + user, Rules: texts},
	}
}

// settingsFiles are the files of the user in which lasting approvals are kept.
func (a *approvals) settingsFiles() (project, user string) {
	return settings.ProjectFile(a.h.dirs, a.h.project), filepath.Join(a.h.dirs.Config, "settings.json")
}

// keep makes an approval of a call last.
func (a *approvals) keep(c guard.Case, scope guard.Scope) error {
	project, user := a.settingsFiles()
	file := map[guard.Scope]string{guard.ForProject: project, guard.Always: user}[scope]
	if c.Intent.RequestsAccess {
		return a.keepAccess(c, file)
	}
	rules := guards.OfferRules(c, guard.Verdict{Decision: guard.Ask}, a.guards.Programs)
	for i, r := range rules {
		if file == "" {
			continue
		}
		if err := settings.AddAllow(file, r.String()); err != nil {
			return err
		}
		rules[i].Layer, rules[i].Source = guards.User, file // what a later call is approved by
	}
	a.guards.Rules.Keep(rules)
	return nil
}

// describeAccess fills in the request of a call that asks for access beyond the sandbox: to what, what for, for how
// long, and in which file a lasting approval is kept.
func (a *approvals) describeAccess(r *Request) {
	x, why, err := a.accessOf(r.Case)
	if err != nil { // the call will fail with the reason
		shown := a.describe(r.Case, r.Verdict)
		r.Lines, r.Shown = shown.Lines(), shown
		return
	}
	r.Shown = guards.DescribeRequest(r.Case, r.Verdict, a.guards.Programs, guards.Change{})
	project, user := a.settingsFiles()
	r.Lines = []string{
		r.Tool,
		"  opens    " + guard.Printable(x.String()),
		"  what for " + guard.Printable(strings.Join(strings.Fields(why), " ")) + " (the model's words)",
		"  because  " + guard.Printable(r.Verdict.Reason),
		"  once     opens it for the next command, or the next file or web call that uses it",
		"  always   opens it for this session, for this project (kept in " + project + "), or for all (kept in " + user + ")",
	}
	r.Scopes = a.scopes("", nil)
}

// accessOf reads what a call of request_access asks for.
func (a *approvals) accessOf(c guard.Case) (x tools.AccessRequest, why string, err error) {
	var in struct {
		Write, Read, Host, Why string
		Send                   bool
	}
	if err := json.Unmarshal(c.Call.Args, &in); err != nil {
		return x, "", err
	}
	x, open, err := a.access.Check(tools.AccessRequest{Write: in.Write, Read: in.Read, Host: in.Host, Send: in.Send})
	if err == nil && open {
		err = errors.New("it is open already")
	}
	return x, in.Why, err
}

// keepAccess grants the access of a call until the session ends, and in a settings file where one is named.
func (a *approvals) keepAccess(c guard.Case, file string) error {
	x, _, err := a.accessOf(c)
	if err != nil {
		return err
	}
	return a.access.Keep(x, file)
}
