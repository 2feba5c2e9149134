package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"rein/app/extend"
	"rein/app/inbox"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/internal/plainfile"
	"rein/kit/guards"
	"rein/kit/sandbox"
	"rein/tool"
	"rein/toolcall"
)

// hooksFeature gives the hooks of the user and of a trusted project. Their files are read at the first event.
func hooksFeature(c *confined) (featureParts, error) {
	p := c.h.settings.HookPolicy
	r := extend.HookRunner{Dir: c.h.root, Command: c.runHook, Client: func(address string, project bool) (*http.Client, error) {
		if project { // only what programs of the session may reach
			return c.access.ClientOfPrograms(), nil
		}
		return c.h.ClientTo(address)
	}, Fits: func(text, tool string, args json.RawMessage) (bool, error) {
		return guards.RuleFits(text, guards.RuleCall{Tool: tool, Args: args, Root: c.h.root})
	}, Approve: p.Approve,
		Open: p.Open, Timeout: time.Duration(p.Timeout), Ask: func(ctx context.Context, ref, system, text string) (string, error) {
			answer, used, err := c.models.ask(ctx, ref, system, text)
			c.record.paid("a hook asked a model", used)
			return answer, err
		}, Running: &c.running, Trace: c.trace}
	set := r.Set(extend.HookSources{Files: c.h.hookFiles(), Read: plainfile.Read, Trusted: c.h.folder.TrustsHooks, Said: c.h.folder.Said, Own: c.h.options.Hooks, Off: p.Off, Warn: c.h.options.Warn}, p.MostStops)
	return featureParts{hooks: set, closers: closeAtEnd(func() error {
		if talk := c.record.conversation; talk != nil && (c.later == nil || c.ends) && len(talk.Messages()) > 0 {
			set.Run(context.Background(), hook.Input{Event: hook.SessionEnd, Session: c.id, Dir: c.h.root, Why: "other"})
		}
		return nil
	})}, nil
}

// runHook runs the program of a hook. It may do what commands of the model may do, what it changes can be taken back, and the user is shown
// what of this runs programs or steers tools later.
func (c *confined) runHook(ctx context.Context, p extend.HookProgram, input []byte) (code int, stdout, stderr string, err error) {
	if p.Free || !c.terms.readOnly() {
		if c.keeper != nil {
			defer c.keeper.Hook(ctx, p.Name)()
		}
		told := c.watchSteering(ctx, "The hook "+strconv.Quote(c.h.mask.String(p.Name)))
		defer told()
	}
	return c.program(ctx, p, input)
}

// program runs a program of the user, in the sandbox unless it is free.
func (c *confined) program(ctx context.Context, p extend.HookProgram, input []byte) (code int, stdout, stderr string, err error) {
	var box sandbox.Sandbox = c.box
	if p.Free {
		box = sandbox.None{}
	}
	r, err := sandbox.RunToEnd(ctx, box, sandbox.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env, ReadOnly: c.terms.readOnly()}, input)
	return r.Code, r.Stdout, r.Stderr, err
}

// StatusLine runs the command of the setting statusLine, in the sandbox and for its longest time at most, and returns what it printed.
// input is the state of the session as JSON.
func (s *Session) StatusLine(ctx context.Context, input []byte) (string, error) {
	set := s.h.settings.StatusLine
	ctx, stop := context.WithTimeout(ctx, set.Time())
	defer stop()
	p := extend.HookProgram{Argv: []string{"bash", "--noprofile", "--norc", "-c", set.Command}, Dir: s.h.root, Free: set.Sandbox == "off"}
	code, stdout, stderr, err := s.program(ctx, p, input)
	if err = cmp.Or(ctx.Err(), err); err == nil && code != 0 {
		err = fmt.Errorf("exit code %d: %s", code, stderr)
	}
	return s.h.mask.String(stdout), err
}

// ownReviewer names the reviewer of an embedder in Options.Models.
const ownReviewer = "reviewer"

// reviewFeature gives the mode auto a model that looks at calls before a person is asked.
func reviewFeature(c *confined) (featureParts, error) {
	set := c.h.settings.Review
	most, err := set.Most()
	r := &inbox.Reviewer{Model: cmp.Or(set.Model, c.terms.now().Model, "the session's model"), Most: most, Tokens: set.Tokens, Timeout: time.Duration(set.Timeout),
		Record: c.record.report, Untrusted: func(id string) []string { return c.judge.untrusted(id) }}
	r.Ask = func(ctx context.Context, system, text string) (answer string, used event.Usage, err error) {
		defer func() { c.record.paid("", used) }() // the review is recorded with what it used
		if m := c.h.options.Models[ownReviewer]; m != nil {
			return askModel(ctx, m, system, text)
		}
		return c.models.ask(ctx, set.Model, system, text)
	}
	return featureParts{reviewer: r, checks: []guard.Guard{r}}, err
}

// hookFiles lists the files whose hooks sessions run.
func (h *Harness) hookFiles() []extend.HookFile {
	own := []string{filepath.Join(h.dirs.Config, "settings.json"), settings.ProjectFile(h.dirs, h.root)}
	return extend.HookFiles(settings.ManagedFile(), own, settings.HomeDir(), h.root)
}

// Hooks lists the hooks of the files that sessions read, with those that do not run, and warnings about files.
func (h *Harness) Hooks() (all []extend.HookEntry, warnings []string) {
	return extend.ReadHooksUnless(h.settings.HookPolicy.Off, h.hookFiles(), plainfile.Read, h.folder.TrustsHooks)
}

// TryHooks runs the hooks of an event, records nothing, and returns what they answered. tool and args are the call that the event is about;
// why and text are as in hook.Input.
func (s *Session) TryHooks(ctx context.Context, event, tool, args, why, text string) (extend.HookTrial, error) {
	return extend.TryHook(ctx, s.hooks, hook.Input{Event: hook.Event(event), Session: s.id, Dir: s.h.root, Mode: s.terms.mode().String(), Tool: tool, Args: []byte(args), Why: why, Text: text})
}

// hookApprover is an approver that runs the hooks for approval requests; it comes before a person. It denies where a hook
// denies, approves once where one may and does, and abstains otherwise. record takes the events of what they did.
func hookApprover(set *hook.Set, mask interface{ String(string) string }, record func(event.Event)) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		if !set.Has(hook.PermissionRequest) || c.Intent.Questions != nil {
			return guard.Answer{Choice: guard.Abstain}, nil
		}
		o := set.Run(ctx, inputOf(hook.PermissionRequest, c, v.Reason))
		for _, e := range toolcall.Hooked(o, &tool.Call{ID: c.Call.ID, Name: c.Call.Name}, mask) {
			record(e)
		}
		switch {
		case o.Decision == hook.Deny, o.Halt != "":
			return guard.Answer{Choice: guard.Denied, By: guard.ByHook(o.By), Words: o.Reason}, nil
		case o.Approves && !v.PersonOnly:
			return guard.Answer{Choice: guard.Approved, By: guard.ByHook(o.By), Words: o.Reason}, nil
		}
		return guard.Answer{Choice: guard.Abstain}, nil
	})
}

// notifyHooks runs the hooks for a request that waits for a person.
func notifyHooks(ctx context.Context, set *hook.Set, c guard.Case, v guard.Verdict) {
	in := inputOf(hook.Notification, c, "permission_prompt")
	in.Tool, in.Args, in.Text = "", nil, "rein needs an approval for "+c.Call.Name+": "+v.Reason
	set.Run(ctx, in)
}

// inputOf is a case as hooks see it.
func inputOf(at hook.Event, c guard.Case, why string) hook.Input {
	return hook.Input{Event: at, Session: c.Session, Agent: c.SubAgent, Dir: c.Root, Mode: c.Mode.String(), Tool: c.Call.Name, Call: c.Call.ID, Args: c.Call.Args, Why: why}
}
