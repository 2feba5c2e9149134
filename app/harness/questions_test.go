package harness

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rein/app/inbox"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/tool"
)

const oneQuestion = `{"questions":[{"question":"Which colour?","choices":[{"label":"red"},{"label":"blue"}],"free":false}]%s}`

// answering is a person who answers questions, and sees what was shown.
type answering struct {
	answer guard.Answer
	shown  *Request
}

func (p *answering) Ask(_ context.Context, r *Request) (guard.Answer, error) {
	p.shown = r
	return r.Claim(p.answer)
}

func chose(label string) *tool.Chosen {
	return &tool.Chosen{Answers: []tool.Answer{{Choices: []string{label}}}}
}

func TestAQuestionIsAnsweredOrFailsAtOnce(t *testing.T) {
	user := func(c guard.Choice, chosen *tool.Chosen, words string) *answering {
		return &answering{answer: guard.Answer{Choice: c, By: guard.ByPerson(""), Chosen: chosen, Words: words}}
	}
	rows := map[string]struct {
		person *answering
		mode   string
		more   string // arguments
		says   string
	}{
		"the user chooses":              {user(guard.Approved, chose("blue"), ""), "supervised", "", "blue\n"},
		"in full mode too":              {user(guard.Approved, chose("blue"), ""), "full", "", "blue\n"},
		"in plan mode too":              {user(guard.Approved, chose("blue"), ""), "plan", "", "blue\n"},
		"in read-only mode too":         {user(guard.Approved, chose("blue"), ""), "read-only", "", "blue\n"},
		"the user gives no answer":      {user(guard.Approved, nil, ""), "supervised", "", "continue without an answer"},
		"the user does not want to":     {user(guard.Denied, nil, "not now"), "supervised", "", "The user does not want to answer: not now"},
		"nobody is there":               {nil, "supervised", "", "No answer: nobody is there.\nDecide yourself"},
		"nobody is there, in full mode": {nil, "full", `,"wait_secs":5,"then":"first"`, "No answer: nobody is there."},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			o := Options{Dir: t.TempDir(), Dirs: settings.Dirs{}, Terms: event.Terms{Sandbox: "off", Mode: row.mode}}
			if row.person != nil {
				o.Person = row.person
			}
			t.Setenv("REIN_HOME", t.TempDir())
			h, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(t.Context())
			s, err := h.Start(t.Context(), NewSession{NoModel: true})
			if err != nil {
				t.Fatal(err)
			}
			got := callText(t, s, "1", "ask_user", strings.Replace(oneQuestion, "%s", row.more, 1))
			if !strings.Contains(strings.ToLower(got), strings.ToLower(row.says)) {
				t.Errorf("got %q", got)
			}
			if p := row.person; p != nil && (!p.shown.HighRisk() || !strings.Contains(strings.Join(p.shown.Lines, "\n"), "[2] blue")) {
				t.Errorf("shown as %q", p.shown.Lines)
			}
		})
	}
}

// TestAQuestionWaitsInTheInbox suspends a session at a question, answers it from elsewhere, and resumes the session.
func TestAQuestionWaitsInTheInbox(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	open := func() *Harness {
		h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Sandbox: "off"}, Unattended: Suspend})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := open()
	m := scripted(t, `turns:
  - calls: [{name: ask_user, args: {questions: [{question: "Which colour?", choices: [{label: red}, {label: blue}], free: false}]}}]
  - text: done
`)
	s, err := h.Start(t.Context(), NewSession{ID: "q", Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "paint it"); last.Stop != event.Waiting {
		t.Fatalf("stopped with %q: %s", last.Stop, last.Text)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	h = open()
	defer h.Close(t.Context())
	waiting, err := h.Inbox().Pending()
	if err != nil || len(waiting) != 1 || waiting[0].Intent.Questions == nil {
		t.Fatalf("pending: %+v, %v", waiting, err)
	}
	r := waiting[0]
	yes := guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: chose("green")}
	if _, err := h.Inbox().Answer(r.Session, r.Call, r.Hash, yes); !errors.Is(err, inbox.ErrNotFitting) {
		t.Errorf("an answer that is not on offer: %v", err)
	}
	yes.Chosen = chose("blue")
	if _, err := h.Inbox().Answer(r.Session, r.Call, r.Hash, yes); err != nil {
		t.Fatal(err)
	}
	if s, err = h.Resume(t.Context(), "q", NewSession{Model: m}); err != nil {
		t.Fatal(err)
	}
	var result *tool.Result
	for e, err := range s.Resume(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Replied {
			result = e.Result
		}
	}
	if result == nil || result.Text != "blue\n" {
		t.Errorf("the result is %+v", result)
	}
}
