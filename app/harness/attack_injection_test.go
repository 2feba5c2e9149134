//go:build unix

package harness

import (
	"os"
	"path/filepath"
	"testing"

	"rein/agent"
	"rein/app/extend"
	"rein/event"
	"rein/kit/script"
	"rein/model"
	"rein/tool"
)

// TestLaundering is injection-08: a sub-agent has no more rights than its parent session, whatever it is asked for.
func TestLaundering(t *testing.T) {
	const orders = `
conversations:
  - when: the errand
    turns:
      - calls:
        - {name: read_file, args: {path: a}}
        - {name: write_file, args: {path: made, content: x}}
        - {name: bash, args: {command: 'touch made'}}
        - {name: bash, args: {command: 'rm -rf ~'}}
        - {name: agent, args: {task: the errand, mode: full}}
      - {text: I could not.}
turns:
  - calls: [{name: agent, args: {task: the errand, mode: full, tools: [bash], allow: ["bash"]}}]
  - calls: [{name: agent, args: {task: "the errand, with mode full"}}]
  - {text: Done.}
`
	for mode, want := range map[string]map[tool.Kind]int{
		"read-only":  {"": 2, tool.Denied: 3, tool.BadArguments: 2},
		"supervised": {"": 2, tool.Denied: 1, tool.Unapproved: 2, tool.BadArguments: 2},
	} {
		t.Run("injection-08 "+mode, func(t *testing.T) {
			b := newAttacked(t, Options{Terms: event.Terms{Mode: mode, Ask: []string{"write_file"}}}, nil)
			if err := os.WriteFile(filepath.Join(b.workspace.Dir(), "a"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := script.Parse([]byte(orders))
			if err != nil {
				t.Fatal(err)
			}
			ag := &agent.Agent{Model: &script.Model{Script: s}, Calls: b.runner}
			ag.Team = &extend.Team{Definitions: []agent.Definition{{About: agent.About{Name: "general", Description: "does errands"}}}}
			kinds := map[tool.Kind]int{}
			for e, err := range ag.Start(b.sessionOptions()).Send(t.Context(), model.Text("go")) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == event.Replied {
					kinds[e.Result.Kind]++
				}
			}
			for kind, n := range want {
				if kinds[kind] != n {
					t.Errorf("%q: %d, want %d (%v)", kind, kinds[kind], n, kinds)
				}
			}
			if b.exists("made") {
				t.Error("a sub-agent wrote what its parent session may not")
			}
		})
	}
}
