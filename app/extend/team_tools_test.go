package extend

import (
	"strings"
	"testing"

	"rein/agent"
)

// TestModelsOfSubAgents: a call names a model by a short name of the user, or as a skill does, and no other.
func TestModelsOfSubAgents(t *testing.T) {
	tm := &Team{Definitions: []agent.Definition{{About: agent.About{Name: "general"}}}, Models: map[string]string{"small": "a/b", "unset": ""},
		Model: func(ref string) bool { return ref == "skill/model" }}
	for name, ok := range map[string]bool{"": true, "inherit": true, "small": true, "skill/model": true, "a/b": false, "unset": false} {
		tasks, err := tm.tasks(agentArgs{Task: "x", Model: name})
		if (err == nil) != ok || ok && tasks[0].Model != name {
			t.Errorf("%q: %v, %v", name, tasks, err)
		}
	}
	if text := string(tm.agentTool(nil).Input.Raw()); !strings.Contains(text, "set up: small\"") {
		t.Error(text)
	}
}
