package harness

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/tool"
)

// A plan ends plan mode only where a person approves it; the mode then is the one before plan mode.
func TestAPlanIsApproved(t *testing.T) {
	chosen := func(label, text string) guard.Answer {
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{label}, Text: text}}}}
	}
	for _, c := range []struct {
		name     string
		settings string
		answer   guard.Answer
		edit     string // what the user writes into the plan file before the answer
		mode     string
		words    string // the model reads them
	}{
		{"approved", `{}`, chosen("Go on", ""), "", "supervised", "The user approved the plan. The mode is supervised now"},
		{"back to the mode of the settings", `{"mode":"full"}`, chosen("Go on", ""), "", "full", "The mode is full now"},
		{"with changes", `{}`, chosen("Go on", "no new files"), "", "supervised", "With these changes: no new files"},
		{"edited", `{}`, chosen("Go on", ""), "2. other", "supervised", "The user edited the plan. It is now"},
		{"edited and refused", `{}`, chosen("Keep planning", "see there"), "2. other", "plan", "2. other"},
		{"refused with words", `{}`, chosen("Keep planning", "too large"), "", "plan", "The user did not approve the plan, and the mode stays plan. too large"},
		{"denied", `{}`, guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), Words: "later"}, "", "plan", "later"},
		{"a plain approval", `{}`, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, "", "supervised", "The user approved the plan"},
		{"nobody answered in time", `{}`, guard.Answer{Choice: guard.Approved, By: guard.ByDeadline(), Chosen: &tool.Chosen{Default: true, Answers: []tool.Answer{{Choices: []string{"Go on"}}}}}, "", "plan", "the answer is of the deadline"},
		{"an answer that is not a person's", `{}`, guard.Answer{Choice: guard.Approved, By: guard.ByRule("present_plan")}, "", "plan", "the answer is of rule present_plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := openWith(t, c.settings)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(context.Background())
			h.options.Mode = "plan"
			h.options.Person = funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
				if r.Intent.Questions == nil || !strings.Contains(r.Intent.Questions.List[0].Text, "1. do it") {
					t.Errorf("asked %+v", r.Intent.Questions)
				}
				if c.edit != "" {
					if err := os.WriteFile(filepath.Join(h.Root(), planFile), []byte(c.edit), 0o600); err != nil {
						t.Error(err)
					}
				}
				return c.answer, nil
			})
			s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns:\n  - calls: [{name: write_file, args: {path: PLAN.md, content: 1. do it}}]\n  - calls: [{name: present_plan, args: {}}]\n  - expect: {contains: '"+c.words+"'}\n    text: ok\n")})
			if err != nil {
				t.Fatal(err)
			}
			if last := say(t, s, "plan it"); last.Stop != event.Done {
				t.Fatal(last)
			}
			if mode := s.Terms().Mode; mode != c.mode {
				t.Errorf("the mode is %s, want %s", mode, c.mode)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			journal, err := os.ReadFile(filepath.Join(s.Dir(), "journal.jsonl"))
			if err != nil || c.mode != "plan" && !strings.Contains(string(journal), `"question":"Carry out this plan?"`) {
				t.Errorf("the answer is not shown: %v", err)
			}
			h.options.Mode = "" // a resumed session keeps the mode
			again, err := h.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, hello)})
			if err != nil {
				t.Fatal(err)
			}
			if mode := again.Terms().Mode; mode != c.mode {
				t.Errorf("resumed in the mode %s, want %s", mode, c.mode)
			}
		})
	}
}

// A plan that the model writes in the turn in which it presents the one before is not what the user approved.
func TestAPlanThatIsWrittenInTheSameTurnIsNotApproved(t *testing.T) {
	h, err := openWith(t, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	h.options.Mode = "plan"
	file := filepath.Join(h.Root(), planFile)
	h.options.Person = funcPerson(func(ctx context.Context, r *Request) (guard.Answer, error) {
		for text := ""; !strings.Contains(text, "everything") && ctx.Err() == nil; time.Sleep(time.Millisecond) {
			b, _ := os.ReadFile(file)
			text = string(b)
		}
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{"Go on"}}}}}, nil
	})
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, `turns:
  - calls: [{name: write_file, args: {path: PLAN.md, content: 1. delete nothing}}]
  - calls: [{name: write_file, args: {path: PLAN.md, content: 1. delete everything}}, {name: present_plan, args: {}}]
  - expect: {contains: 'PLAN.md was written in the same turn'}
    calls: [{name: present_plan, args: {}}]
  - expect: {contains: 'The user approved the plan. The mode is supervised now'}
    text: ok
`)})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "plan it"); last.Stop != event.Done {
		t.Fatal(last)
	}
}

// What is in the plan file counts as the user's words only where the user changed it while the plan was shown.
func TestAFileThatNobodyChangedIsNoEditOfThePlan(t *testing.T) {
	for name, row := range map[string]struct{ file, turns, wants, no string }{
		"a file of somebody else": {"drop the tables", `
  - calls: [{name: present_plan, args: {plan: 1. do it}}]`, "The user approved the plan", "drop the tables"},
		"a file that is not the model's, perhaps": {"1. do it", `
  - calls: [{name: present_plan, args: {}}]`, "The plan is:\n\n1. do it", "edited"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := openWith(t, `{}`)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(context.Background())
			h.options.Mode = "plan"
			if row.file != "" {
				if err := os.WriteFile(filepath.Join(h.Root(), planFile), []byte(row.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h.options.Person = funcPerson(func(context.Context, *Request) (guard.Answer, error) {
				return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{"Go on"}}}}}, nil
			})
			s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns:"+row.turns+"\n  - text: ok\n")})
			if err != nil {
				t.Fatal(err)
			}
			var told string
			for e, err := range s.Send(t.Context(), model.Text("plan it")) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == event.Replied && e.Call.Name == exitPlanName {
					told = e.Result.Text
				}
			}
			if !strings.Contains(told, row.wants) || strings.Contains(told, row.no) {
				t.Errorf("the model reads %q", told)
			}
		})
	}
}

// suspendedPlan is a closed session in which a plan waits.
func suspendedPlan(t *testing.T, script string) (*Harness, *Session) {
	t.Helper()
	h, err := openWith(t, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	h.options.Mode, h.options.Unattended = "plan", Suspend
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, script)})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "plan it"); last.Stop != event.Waiting {
		t.Fatal(last)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h, s
}

// A plan that the user edits before the program starts again is shown and approved as it is then, and the model reads it.
func TestAPlanThatIsEditedBeforeARestart(t *testing.T) {
	script := "turns:\n  - calls: [{name: write_file, args: {path: PLAN.md, content: 1. do it}}]\n  - calls: [{name: present_plan, args: {}}]\n  - text: ok\n"
	h, s := suspendedPlan(t, script)
	if err := os.WriteFile(filepath.Join(h.Root(), planFile), []byte("1. only docs"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.options.Mode, h.options.Person = "", funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		if text := r.Intent.Questions.List[0].Text; !strings.Contains(text, "1. only docs") {
			t.Errorf("shown: %s", text)
		}
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{"Go on"}}}}}, nil
	})
	again, err := h.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, script)})
	if err != nil {
		t.Fatal(err)
	}
	var told string
	for e, err := range again.Resume(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Replied {
			told = e.Result.Text
		}
	}
	if !strings.Contains(told, "The user approved the plan") || !strings.Contains(told, "1. only docs") {
		t.Errorf("the model reads %q", told)
	}
}

// What a person answers counts where the mode was changed while the plan was shown: the answer loosens no mode, and who is told that the
// mode stays plan has it stay.
func TestTheModeIsChangedWhileAPlanIsShown(t *testing.T) {
	for _, c := range []struct{ to, choice, mode, told string }{
		{"ask", "Go on", "ask", "The user approved the plan. The mode is ask now.\nWith these changes: no tests"},
		{"full", "Go on", "full", "The user approved the plan. The mode is full now.\nWith these changes: no tests"},
		{"full", "Keep planning", "plan", "The user did not approve the plan, and the mode stays plan. no tests"},
		{"read-only", "Keep planning", "read-only", "The user did not approve the plan, and the mode stays read-only. no tests"},
	} {
		t.Run(c.to+" "+c.choice, func(t *testing.T) {
			h, err := openWith(t, `{}`)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(context.Background())
			h.options.Mode = "plan"
			var s *Session
			h.options.Person = funcPerson(func(context.Context, *Request) (guard.Answer, error) {
				if err := s.SetMode(c.to); err != nil {
					t.Error(err)
				}
				return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{c.choice}, Text: "no tests"}}}}, nil
			})
			s, err = h.Start(t.Context(), NewSession{Model: scripted(t, "turns:\n  - calls: [{name: present_plan, args: {plan: 1. do it}}]\n  - text: ok\n")})
			if err != nil {
				t.Fatal(err)
			}
			var told string
			for e, err := range s.Send(t.Context(), model.Text("plan it")) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == event.Replied {
					told = e.Result.Text
				}
			}
			if !strings.Contains(told, c.told) {
				t.Errorf("the model reads %q", told)
			}
			if mode := s.Terms().Mode; mode != c.mode {
				t.Errorf("the mode is %s", mode)
			}
		})
	}
}

func TestPlanModeRemembersTheModeBefore(t *testing.T) {
	h, err := openWith(t, `{"mode":"full"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{Mode: "supervised", Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "hi")
	if err := s.SetMode("plan"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := h.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	if mode := again.modeAfterPlan(); mode != "supervised" {
		t.Errorf("a plan would go back to %s", mode)
	}
}

func TestNobodyApprovesAPlan(t *testing.T) {
	h, err := openWith(t, `{"mode":"plan"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns:\n  - calls: [{name: present_plan, args: {plan: 1. do it}}]\n  - expect: {contains: Nobody is there to approve the plan}\n    text: '1. do it'\n")})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "plan it"); last.Stop != event.Done || s.Terms().Mode != "plan" {
		t.Fatal(last, s.Terms().Mode)
	}
}

// An answer that was left while nobody had the session open counts, also where nobody is there when it continues.
func TestAPlanIsApprovedWhileTheSessionIsSuspended(t *testing.T) {
	script := "turns:\n  - calls: [{name: present_plan, args: {plan: 1. do it}}]\n  - text: ok\n"
	h, s := suspendedPlan(t, script)
	pending, err := h.Inbox().Pending()
	if err != nil || len(pending) != 1 {
		t.Fatal(pending, err)
	}
	r := pending[0]
	yes := guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{"Go on"}}}}}
	if _, err := h.Inbox().Answer(r.Session, r.Call, r.Hash, yes); err != nil {
		t.Fatal(err)
	}
	h.options.Mode, h.options.Unattended = "", Refuse
	again, err := h.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, script)})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range again.Resume(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Replied && e.Result.Failed {
			t.Error(e.Result.Text)
		}
	}
	if mode := again.Terms().Mode; mode != "supervised" {
		t.Errorf("the mode is %s", mode)
	}
}
