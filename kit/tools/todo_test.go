package tools

import (
	"fmt"
	"strings"
	"testing"

	"rein/lab/testkit"
	"rein/tool"
)

func TestTodo(t *testing.T) {
	p := &Plan{}
	call := func(args string) string {
		text, _ := testkit.Call(t, p.Todo(), args)
		return text
	}
	rows := []struct{ rule, args, want string }{
		{"a plan", `{"items":[{"content":"read","status":"completed"},{"content":"fix","status":"in_progress"},{"content":"test","status":"pending"}]}`,
			"To-do list of 3 steps: 1 completed, 1 in progress, 1 pending.\nIn progress: fix\nNext: test\n"},
		{"an unfinished step is removed", `{"todos":[{"content":"fix","status":"completed"}]}`,
			"note: unfinished steps were removed from the list: \"test\"\nTo-do list of 1 step: 1 completed, 0 in progress, 0 pending.\n"},
		{"a step twice", `{"items":[{"content":"a","status":"pending"},{"content":" a","status":"pending"}]}`, `bad_arguments: step 2 is the same as step 1: "a" | Send the whole list again.`},
		{"an empty step", `{"items":[{"content":"  ","status":"pending"}]}`, "bad_arguments: step 1 is empty | Send the whole list again."},
		{"the empty plan", `{"items":[]}`, "The to-do list is empty.\n"},
	}
	for _, row := range rows {
		if got := call(row.args); got != row.want {
			t.Errorf("%s: got %q", row.rule, got)
		}
	}
	if got := call(`{"items":[{"content":"a","status":"done"}]}`); !strings.Contains(got, "completed") {
		t.Errorf("an unknown status: %q", got)
	}
	var many []string
	for i := range 101 {
		many = append(many, fmt.Sprintf(`{"content":"%d","status":"pending"}`, i))
	}
	if got := call(`{"items":[` + strings.Join(many, ",") + `]}`); !strings.HasPrefix(got, "bad_arguments: ") {
		t.Errorf("too many steps: %q", got)
	}
	_, raw := testkit.Call(t, p.Todo(), `{"items":[{"content":"a","status":"in_progress"}]}`)
	if d := tool.ParseDetail(raw).Plan; d == nil || len(d.Steps) != 1 || d.Steps[0] != (tool.PlanStep{Content: "a", Status: InProgress}) {
		t.Errorf("detail: %s", raw)
	}
	if tl := p.Todo(); tl.Effect != 0 {
		t.Errorf("effect %v: the plan is in memory", tl.Effect)
	}
}
