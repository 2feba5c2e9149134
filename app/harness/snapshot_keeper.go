package harness

// The files snapshot_*.go keep the files of a workspace around the calls of a session, so that what a call changed can be
// undone: as a step of the pipeline, and as a guard that asks where it could not be.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rein/event"
	"rein/guard"
	"rein/kit/undo"
	"rein/tool"
	"rein/toolcall"
)

// fileKeeper keeps the files around the calls of one session and its sub-agents. Its methods may be called at once from
// several goroutines.
type fileKeeper struct {
	Store   *undo.Store
	Session string // id of the user's session

	// Exact are the names of the tools that change nothing but what their intent lists.
	Exact []string
	// Mask hides secrets in what is listed. Nil hides nothing.
	Mask func(string) string
	// Goes returns a channel that is closed when the job that a call has left running ends; nil when it left none.
	Goes func(call string) <-chan struct{}
	// Record records an event of the session.
	Record func(event.Event)
	// Message is the number of the event of the user's last message.
	Message atomic.Int64
	// Searching reports whether the first search for secrets runs. Nil: there is none.
	Searching func() bool

	mu        sync.Mutex
	failed    error               // the files could not be kept the last time
	asked     map[string]bool     // calls that need an approval because of that
	deletions map[string]bool     // by call: an undo brings back all that it deletes
	says      map[string]bool     // calls whose result says so
	outside   map[string][]string // by call: what it would change outside of the workspace
	running   map[*keptCall]bool  // calls that may change files now
	reading   atomic.Int32        // calls that run and change nothing
	accepted  bool                // the user let a call run in a workspace that is too large; it need not be asked again
	closed    bool                // nothing begins in the background any more
	stop      context.CancelFunc
	work      sync.WaitGroup
}

// Ahead keeps the files in the background, while the model thinks: the calls that follow find it done.
func (k *fileKeeper) Ahead() {
	ctx, cancel := context.WithCancel(context.Background())
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop != nil {
		k.stop()
	}
	if k.stop = cancel; k.closed {
		cancel()
		return
	}
	k.work.Go(func() {
		if err := k.Store.Snapshot(undo.GivingWay(ctx, k.others)); err == nil || errors.Is(err, undo.ErrNotKept) {
			k.note(err)
		}
		k.tidy(ctx)
	})
}

// others reports whether something comes first on the processors: a call that changes nothing, or the first search for secrets, for which calls wait.
func (k *fileKeeper) others() bool {
	return k.reading.Load() > 0 || k.Searching != nil && k.Searching()
}

// idle is how long no call may have begun before the store is tidied, a segment at a time.
const idle = 3 * time.Second

// tidy compresses what is kept and frees room, until a call begins.
func (k *fileKeeper) tidy(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(idle):
		}
		if more, err := k.Store.Tidy(ctx); err != nil || !more {
			return
		}
	}
}

// busy ends what runs in the background.
func (k *fileKeeper) busy() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop != nil && k.Store.Ready() {
		k.stop()
		k.stop = nil
	}
}

// Close waits for what runs in the background.
func (k *fileKeeper) Close() {
	k.mu.Lock()
	k.closed = true
	if k.stop != nil {
		k.stop()
	}
	k.mu.Unlock()
	k.work.Wait()
}

// note remembers whether the files could be kept.
func (k *fileKeeper) note(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failed = err
}

// mayChange reports whether a call may change files: what is not known to only read, may.
func mayChange(e tool.Effect, i tool.Intent) bool {
	if i.RequestsAccess {
		return false
	}
	return i.Unknown || len(i.Writes) > 0 || e&(tool.Writes|tool.Runs) != 0 && len(i.Hosts) > 0
}

// Judge asks before a call whose changes could not be undone. Where that holds for some of its files, they are effects of it.
func (k *fileKeeper) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	if !mayChange(c.Effect, c.Intent) {
		return guard.Verdict{}
	}
	k.mu.Lock()
	failed, accepted := k.failed, k.accepted
	k.mu.Unlock()
	switch {
	case errors.Is(failed, undo.ErrTooMany) && accepted:
		return guard.Verdict{}
	case failed != nil && !errors.Is(failed, undo.ErrTooMany):
		failed = k.Store.Snapshot(ctx) // there may be room again
		k.note(failed)
	case failed == nil:
		failed = k.Store.Check()
	}
	if failed == nil {
		return guard.Verdict{Guard: "undo", Effects: k.lost(c)}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked == nil {
		k.asked = map[string]bool{}
	}
	k.asked[c.Call.ID] = true
	return guard.Verdict{Decision: guard.Ask, Severity: guard.Medium, Guard: "undo", Rules: []string{"undo.impossible"}, PersonOnly: true,
		Reason: fmt.Sprintf("what this call does to files cannot be undone: %v", failed)}
}

// exact reports whether a call changes nothing but what its intent lists.
func (k *fileKeeper) exact(name string, e tool.Effect, i tool.Intent) bool {
	return e&tool.Runs == 0 && !i.Unknown && slices.Contains(k.Exact, name)
}

// lost describes the files that a call would change and an undo could not restore. Paths that only a shell knows are left out.
func (k *fileKeeper) lost(c guard.Case) (effects []string) {
	writes, removes := c.Intent.Writes, []string(nil)
	if r := c.Report; r != nil {
		writes, removes = append(slices.Clone(writes), r.Writes...), r.Removes
	}
	reached := func(paths []string) []string {
		return slices.DeleteFunc(slices.Clone(c.Intent.Surroundings.Reached(paths)), func(p string) bool { return strings.ContainsAny(p, "…*?[") })
	}
	for _, u := range k.Store.Foresee(reached(writes), reached(removes), maxNotes) {
		if u.Why == undo.Ignored && k.exact(c.Call.Name, c.Effect, c.Intent) {
			continue // Begin keeps it
		}
		if u.Why == undo.Outside {
			k.notes(c.Call.ID, u.Path)
		}
		effects = append(effects, fmt.Sprintf("no-undo %s (%s)", u.Path, u.Why))
	}
	return effects
}

// notes takes note of a file outside of the workspace that a call would change: its result says so.
func (k *fileKeeper) notes(call, path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.outside == nil {
		k.outside = map[string][]string{}
	}
	k.outside[call] = append(k.outside[call], path)
}

// Step is the step of the pipeline: see toolcall.Snapshot.
func (k *fileKeeper) Step(ctx context.Context, g toolcall.Granted) (end func(*tool.Reply), err error) {
	effect, intent := g.Effect(), g.Intent()
	if !mayChange(effect, intent) {
		return nil, nil
	}
	call := g.Call()
	k.mu.Lock()
	asked, failed := k.asked[call.ID], k.failed
	outside := k.outside[call.ID]
	delete(k.asked, call.ID)
	delete(k.outside, call.ID)
	k.accepted = k.accepted || asked
	known := k.accepted && errors.Is(failed, undo.ErrTooMany)
	k.mu.Unlock()
	if known {
		return nil, nil
	}
	k.busy()
	var paths []string
	if k.exact(call.Name, effect, intent) {
		paths = intent.Writes
	}
	session, sub := g.Session()
	about := undo.Call{ID: call.ID, Tool: call.Name, Title: k.title(intent), Session: session, SubAgent: sub, Message: k.Message.Load()}
	running, err := k.Store.Begin(ctx, about, paths)
	if err == nil {
		running.Also(outside)
		k.note(nil)
		kept := &keptCall{about: about, paths: paths, running: running}
		k.runs(kept, true)
		return func(r *tool.Reply) {
			k.runs(kept, false)
			running, notes := kept.end()
			for _, text := range notes {
				r.Note(text)
			}
			k.end(running, call, sub, r.Note)
		}, nil
	}
	if errors.Is(err, undo.ErrNotKept) {
		k.note(err)
		if asked {
			return func(r *tool.Reply) { r.Note("the user knows that this cannot be undone") }, nil
		}
		return nil, &tool.Error{Kind: tool.Failed, Text: fmt.Sprintf("Not run: %v.", err),
			Hint: "Send the call again: the user is then asked whether it may run although it cannot be undone."}
	}
	return nil, err
}

// Hook keeps the files before the program of a hook runs; end records what it changed. The program runs also where they cannot be kept:
// the user has configured it, and the next call asks.
func (k *fileKeeper) Hook(ctx context.Context, command string) (end func()) {
	k.busy()
	call := tool.Call{Name: "hook"}
	running, err := k.Store.Begin(ctx, undo.Call{Tool: call.Name, Title: k.title(tool.Intent{Command: command}), Session: k.Session, Message: k.Message.Load()}, nil)
	if err != nil {
		if errors.Is(err, undo.ErrNotKept) {
			k.note(err)
		}
		return func() {}
	}
	return func() { k.end(running, call, "", func(string) {}) }
}

// maxTitle is how many bytes of a command are kept as the title of a call.
const maxTitle = 200

func (k *fileKeeper) title(i tool.Intent) string {
	text := i.Command
	if text == "" && len(i.Writes) > 0 {
		text = i.Writes[0]
	}
	if k.Mask != nil {
		text = k.Mask(text)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxTitle)], "")
}

// end records what a call changed. A call that left a job running continues. running is nil for one that waits for a person to its end.
func (k *fileKeeper) end(running *undo.Running, call tool.Call, sub string, note func(string)) {
	if running == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var job <-chan struct{}
	if k.Goes != nil && call.ID != "" {
		job = k.Goes(call.ID)
	}
	finish := running.End
	if job != nil {
		finish = running.Checkpoint
	}
	report, err := finish(ctx)
	if err != nil {
		k.note(err)
		note(fmt.Sprintf("what this call changed could not be recorded, so it cannot be undone: %v", err))
	}
	k.report(call, sub, report, note)
	removed := 0
	for _, c := range report.Changes {
		if c.What == undo.Deleted && !strings.Contains("/"+c.Path, "/.git/") { // git packs what it holds
			removed++
		}
	}
	k.tellRestorable(call.ID, removed, note)
	if job == nil {
		return
	}
	k.work.Go(func() {
		<-job
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		report, err := running.End(ctx)
		k.note(err)
		k.report(call, sub, report, func(string) {})
	})
}

// maxNotes is how many files a note about what cannot be restored names.
const maxNotes = 5

// report records what a call changed, and notes what of it cannot be restored.
func (k *fileKeeper) report(call tool.Call, sub string, report undo.Report, note func(string)) {
	if len(report.Changes)+len(report.Uncovered) == 0 {
		return
	}
	e := event.Event{Kind: event.FilesModified, Call: &tool.Call{ID: call.ID, Name: call.Name}, Child: sub, Files: eventFiles(report.Changes)}
	for i, u := range report.Uncovered {
		if i < maxNotes {
			note(u.String())
		}
		if i < event.MaxFiles {
			e.Files.Uncovered = append(e.Files.Uncovered, u.String())
		}
	}
	if n := len(report.Uncovered) - maxNotes; n > 0 {
		note(fmt.Sprintf("more files that cannot be restored: %d", n))
	}
	if k.Record != nil {
		k.Record(e)
	}
}

// eventFiles lists changes for an event.
func eventFiles(changes []undo.Change) *event.Files {
	f := &event.Files{}
	for i, c := range changes {
		if i == event.MaxFiles {
			f.More = len(changes) - i
			break
		}
		f.Changes = append(f.Changes, event.FileChange{Path: c.Path, From: c.From, What: string(c.What)})
	}
	return f
}

// aliveProcesses returns this process while a job runs: its descendants may change files between calls.
func aliveProcesses(running func() int) func() []int {
	return func() []int {
		if running() == 0 {
			return nil
		}
		return []int{os.Getpid()}
	}
}

// maxHinted is how many files a message to the model names.
const maxHinted = 20

// undoneNote tells a model which files are not as its calls left them.
func undoneNote(f *event.Files) string {
	var b strings.Builder
	b.WriteString("The user undid what these calls did to files: ")
	if f.Redo {
		b.Reset()
		b.WriteString("The user redid what had been undone: ")
	}
	b.WriteString(strings.Join(f.Steps, ", "))
	b.WriteString(". Changed by that:")
	for i, c := range f.Changes {
		if i == maxHinted {
			b.WriteString(" and others")
			break
		}
		b.WriteString(" " + c.Path + " (" + c.What + ")")
	}
	return b.String()
}
