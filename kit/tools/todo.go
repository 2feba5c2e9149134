package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rein/internal/plaintext"
	"rein/tool"
)

// Step is one item of a plan.
type Step struct {
	Content string `json:"content" minLength:"1" maxLength:"500"`
	Status  string `json:"status" enum:"pending,in_progress,completed,cancelled"`
}

// The states of a step.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
	Cancelled  = "cancelled"
)

// maxSteps is the most steps of a plan.
const maxSteps = 100

// Plan is the plan of a model. The zero value is empty. Several goroutines may use it at once.
type Plan struct {
	mu    sync.Mutex
	steps []Step
}

// Steps returns the plan as it is now.
func (p *Plan) Steps() []Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.steps)
}

type todoArgs struct {
	Items []Step `json:"items" maxItems:"100"`
}

// Intent is empty: the plan is in memory.
func (a todoArgs) Intent() tool.Intent { return tool.Intent{} }

const todoDescription = `Keep a to-do list for a task with several steps. Send the whole list each time. Set a step to in_progress when you start it, and to completed as soon as it is done. Only one step is in_progress at a time.`

// Todo returns the tool that keeps this plan. It touches nothing else. Its detail is tool.PlanDetail.
func (p *Plan) Todo() *tool.Tool {
	t := tool.New("todo", todoDescription, 0, p.replace)
	t.Keep = true
	t.Input = t.Input.WithAliases(map[string]string{"todos": "items", "tasks": "items", "plan": "items", "steps": "items", "list": "items"})
	return t
}

func (p *Plan) replace(_ context.Context, in todoArgs, r *tool.Reply) error {
	if err := checkSteps(in.Items); err != nil {
		return err
	}
	p.mu.Lock()
	lost := lostSteps(p.steps, in.Items)
	p.steps = slices.Clone(in.Items)
	p.mu.Unlock()
	if len(lost) > 0 {
		r.Note("unfinished steps were removed from the list: " + plaintext.FirstOf(lost, 5))
	}
	r.Show(tool.Detail{Plan: planDetail(in.Items)})
	_, err := r.WriteString(summary(in.Items))
	return err
}

func planDetail(steps []Step) *tool.PlanDetail {
	d := &tool.PlanDetail{Steps: make([]tool.PlanStep, len(steps))}
	for i, s := range steps {
		d.Steps[i] = tool.PlanStep(s)
	}
	return d
}

// checkSteps refuses a list that is not a plan.
func checkSteps(steps []Step) error {
	bad := func(format string, a ...any) error {
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf(format, a...), Hint: "Send the whole list again."}
	}
	if len(steps) > maxSteps {
		return bad("the list has %d steps; the limit is %d", len(steps), maxSteps)
	}
	seen := map[string]int{}
	for i, s := range steps {
		content := strings.TrimSpace(s.Content)
		switch first, twice := seen[content]; {
		case content == "":
			return bad("step %d is empty", i+1)
		case twice:
			return bad("step %d is the same as step %d: %q", i+1, first, content)
		case !slices.Contains([]string{Pending, InProgress, Completed, Cancelled}, s.Status):
			return bad("step %d has the status %q; use pending, in_progress, completed or cancelled", i+1, s.Status)
		}
		seen[content] = i + 1
	}
	return nil
}

// lostSteps are the unfinished steps that are not in the new plan.
func lostSteps(old, now []Step) []string {
	var lost []string
	for _, s := range old {
		open := s.Status == Pending || s.Status == InProgress
		if open && !slices.ContainsFunc(now, func(n Step) bool { return n.Content == s.Content }) {
			lost = append(lost, fmt.Sprintf("%q", s.Content))
		}
	}
	return lost
}

// summary is the state of the plan in a few lines.
func summary(steps []Step) string {
	if len(steps) == 0 {
		return "The to-do list is empty.\n"
	}
	counts := map[string]int{}
	next := ""
	var now []string
	for _, s := range steps {
		counts[s.Status]++
		switch {
		case s.Status == InProgress:
			now = append(now, s.Content)
		case s.Status == Pending && next == "":
			next = s.Content
		}
	}
	text := fmt.Sprintf("To-do list of %s: %d completed, %d in progress, %d pending", plaintext.Counted(len(steps), "step"), counts[Completed], counts[InProgress], counts[Pending])
	if n := counts[Cancelled]; n > 0 {
		text += fmt.Sprintf(", %d cancelled", n)
	}
	text += ".\n"
	for _, s := range now {
		text += "In progress: " + s + "\n"
	}
	if next != "" {
		text += "Next: " + next + "\n"
	}
	return text
}
