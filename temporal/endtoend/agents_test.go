package endtoend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/api/enums/v1"

	"rein/event"
	"rein/temporal"
)

const familyScript = `
turns:
- calls: [{name: agent, args: {task: look at it, agent: general}}]
- text: All done.
conversations:
- when: look at it
  turns:
  - calls: [{name: bash, args: {command: "echo one >> notes.txt; sleep 2; curl -m 1 https://example.com"}}]
  - calls: [{name: write_file, args: {path: found.txt, content: by the sub-agent}}]
  - text: It is there.
`

// The programs give sub-agents to sessions, on a host without keys: their requests are asked where the session is started, and a host that is
// killed while one is at work loses nothing.
func TestSubAgentsOfThePrograms(t *testing.T) {
	p := newPrograms(t)
	script := "script/" + p.file("script.yaml", familyScript)
	work := filepath.Join(p.root, "work")
	p.run("rein-temporal", "worker", "--models").says("working on", 1)
	worker := func() *started {
		w := p.run("rein-temporal", "worker", "--host", "web", "--dir", work)
		w.says("working on", 1)
		return w
	}
	first := worker()
	begun := p.run("rein-temporal", "start", "--id", "s1", "--host", "web", "--model", script, "go")
	begun.says("run it? yes", 1)
	if !strings.Contains(begun.out.String(), "curl") {
		t.Errorf("it does not say what the sub-agent asks:\n%s", begun.out)
	}
	begun.answer("yes")
	p.soon(func() bool {
		text, _ := os.ReadFile(filepath.Join(work, "notes.txt")) // it is not there yet
		return len(text) > 0
	})
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()
	worker()
	begun.ends(0, "All done.")
	text, err := os.ReadFile(filepath.Join(work, "notes.txt"))
	if err != nil || string(text) != "one\n" {
		t.Errorf("the call that was killed ran again, or never: %q, %v", text, err)
	}
	c := p.client()
	c.Store = temporal.Files{Dir: filepath.Join(p.root, "home/.local/state/rein-temporal/sessions")} // of the programs
	child := ""
	for e, err := range c.Store.Events(t.Context(), "s1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.SubAgentStarted {
			child = e.Child
		}
	}
	d, err := c.Temporal.DescribeWorkflowExecution(t.Context(), child, "")
	if err != nil || d.GetWorkflowExecutionInfo().GetParentExecution().GetWorkflowId() != "s1" || d.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		t.Errorf("the workflow of the sub-agent is %v, %v", d.GetWorkflowExecutionInfo(), err)
	}
	for l, err := range c.Sessions(t.Context()) {
		if err != nil || l.ID == child {
			t.Errorf("the sub-agent is in the list of sessions: %+v, %v", l, err)
		}
	}
	for _, id := range []string{"s1", child} {
		p.figures(c, id)
	}
}
