package harness

import (
	"context"
	"encoding/json"

	"rein/tool"
)

// actionTool is the name of the tool of externalPermission.
const actionTool = "external_action"

// externalAction is what an agent wants to do by itself, in its own program.
type externalAction struct {
	Agent   string   `json:"agent" jsonschema:"name of the agent"`
	Title   string   `json:"title" jsonschema:"what it would do, in its own words"`
	Command string   `json:"command,omitempty" jsonschema:"shell command"`
	Reads   []string `json:"reads,omitempty" jsonschema:"files and directories"`
	Writes  []string `json:"writes,omitempty" jsonschema:"files and directories"`
	Hosts   []string `json:"hosts,omitempty" jsonschema:"hosts that it contacts"`
	Unknown bool     `json:"unknown,omitempty" jsonschema:"it may do more than is listed"`
}

// Intent is what the action lists. An action that lists nothing may do anything.
func (a externalAction) Intent() tool.Intent {
	i := tool.Intent{Command: a.Command, Reads: a.Reads, Writes: a.Writes, Hosts: a.Hosts, Unknown: a.Unknown}
	if i.IsZero() {
		i.Unknown = true
	}
	return i
}

// externalPermission returns the tool with which agents ask whether they may do something by themselves. Its calls take all steps of
// the pipeline, and do nothing: the agent acts, in its own sandbox, when its call has succeeded. It is for sub-agents that are
// a Model of this package; no other model needs to see it.
func externalPermission() *tool.Tool {
	return tool.New(actionTool, "An agent that is another program asks with this whether it may do something by itself.", tool.Reads|tool.Writes|tool.Runs|tool.Reaches,
		func(_ context.Context, a externalAction, r *tool.Reply) error {
			_, err := r.WriteString("Permitted: " + a.Title + "\n")
			return err
		})
}

// rawObject reads the arguments that an agent shows of its own call.
func rawObject(raw any) map[string]json.RawMessage {
	text, err := json.Marshal(raw)
	var all map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}
