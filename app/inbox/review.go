package inbox

// The approver of the mode auto asks a reviewer model before it asks a person. The reviewer can approve
// a call once; everything else is left to the person. What it may be asked about does not depend on the model: see Leaves.

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// The defaults of Reviewer.
const (
	defaultTokens  = 200_000
	defaultTimeout = 30 * time.Second
)

// Reviewer is the approver of one session. Set its fields before it is used; several goroutines may use it then.
type Reviewer struct {
	// Ask returns the answer of the reviewer model, and what it used. An error means that it is unavailable.
	Ask func(ctx context.Context, system, text string) (answer string, used event.Usage, err error)
	// Record takes the events of the kind Reviewed. Nil: they are dropped.
	Record func(event.Event)
	// Untrusted returns the names of the untrusted texts that a session has read. Nil: none.
	Untrusted func(session string) []string

	Model   string         // provider/name, for the record
	Most    guard.Severity // the most severe calls that it may approve; 0 means guard.Low
	Tokens  int64          // that reviews of one session may use; 0 means defaultTokens
	Timeout time.Duration  // of one review; 0 means defaultTimeout

	mu    sync.Mutex
	task  []string        // messages of the user
	read  []string        // untrusted texts
	spent int64           // tokens
	mine  map[string]bool // calls that were reviewed here, whose tokens are counted already
}

// Fingerprint says that no rule of it decides whether a call may run: an approval holds whatever model reviews.
func (r *Reviewer) Fingerprint() string { return "reviewer" }

// Approve asks the reviewer in the mode auto, where it may answer, and abstains otherwise.
func (r *Reviewer) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	none := guard.Answer{Choice: guard.Abstain}
	if c.Mode != guard.Auto || r.Leaves(c, v) != "" {
		return none, nil
	}
	e := event.Event{Kind: event.Reviewed, Call: &tool.Call{ID: c.Call.ID, Name: c.Call.Name}, Review: &event.Review{Model: r.Model}}
	approved, reason, used, err := r.review(ctx, c, v)
	e.Review.Verdict, e.Review.Reason = "left", reason
	switch {
	case ctx.Err() != nil:
		return none, nil
	case err != nil:
		e.Review.Verdict, e.Review.Reason = "unavailable", err.Error()
	case approved:
		e.Review.Verdict = "approved"
	}
	if used != (event.Usage{}) {
		e.Usage = &used
	}
	if r.Record != nil {
		r.Record(e)
	}
	if e.Review.Verdict != "approved" {
		return none, nil
	}
	return guard.Answer{Choice: guard.Approved, By: guard.ByPolicy("reviewer " + r.Model), Words: reason}, nil
}

// review asks the model about one call.
func (r *Reviewer) review(ctx context.Context, c guard.Case, v guard.Verdict) (approved bool, reason string, used event.Usage, err error) {
	most, timeout := r.Tokens, r.Timeout
	if most == 0 {
		most = defaultTokens
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	r.mu.Lock()
	spent := r.spent
	r.mu.Unlock()
	if spent >= most {
		return false, "", used, fmt.Errorf("reviews of this session have used %d of %d tokens", spent, most)
	}
	code := rand.Text()
	text, err := r.question(c, v)
	if err != nil {
		return false, "", used, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	answer, used, err := r.Ask(ctx, fmt.Sprintf(system, code), text)
	r.mu.Lock()
	r.spent += used.Input + used.Output
	if r.mine == nil {
		r.mine = map[string]bool{}
	}
	r.mine[c.Call.ID] = true
	r.mu.Unlock()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return false, "", used, err
	}
	approved, reason, err = readReview(answer, code)
	return approved, reason, used, err
}

// readReview reads the reviewer's answer: one JSON object and nothing else, with the code that only its instructions have.
func readReview(answer, code string) (approved bool, reason string, err error) {
	var a struct {
		Code    string `json:"code"`
		Verdict string `json:"verdict"`
		Reason  string `json:"reason"`
	}
	d := json.NewDecoder(strings.NewReader(strings.TrimSpace(answer)))
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil || d.More() || a.Code != code || a.Verdict != "approve" && a.Verdict != "ask" {
		return false, "", errors.New("the reviewer did not answer in the form that was asked for")
	}
	return a.Verdict == "approve", shortText(a.Reason), nil
}

// See learns the user's messages, and what reviews have used, from the events of the session.
func (r *Reviewer) See(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.Kind == event.Prompted && e.Parent == "":
		r.task = append(r.task, e.Text)
	case e.Kind == event.Reviewed && e.Usage != nil && !r.mine[e.Call.ID]:
		r.spent += e.Usage.Input + e.Usage.Output
	}
}
