package extend

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/agent"
	"rein/event"
	"rein/schema"
	"rein/tool"
)

// Tools implements agent.Team.
func (t *Team) Tools(s *agent.Session) []*tool.Tool {
	waits := namedTool("agent_wait", "Wait until background sub-agents have finished, and get their reports. Without it each report comes with a later message.",
		func(ctx context.Context, in waitArgs, r *tool.Reply) error { return waitForAgents(ctx, s, in, r) })
	waits.Timeout = longestWait + 10*time.Second
	return []*tool.Tool{
		t.agentTool(s),
		namedTool("agent_status", "Show what a sub-agent is doing, the tokens that it used, and its whole report when it has finished.",
			func(_ context.Context, in nameArgs, r *tool.Reply) error { return showStatus(s, in.ID, r) }),
		waits,
		namedTool("agent_message", "Send a message to a sub-agent that you started. If it is working, it reads the message at its next step; if it has finished, it continues its conversation in the background.",
			func(_ context.Context, in messageArgs, r *tool.Reply) error { return messageAgent(s, in, r) }),
		namedTool("agent_stop", "Stop a sub-agent. agent_message can continue it.",
			func(ctx context.Context, in nameArgs, r *tool.Reply) error { return stopAgent(ctx, s, in.ID, r) }),
		namedTool("agent_list", "List the sub-agents of this session, with their ids, names and states.",
			func(_ context.Context, _ struct{}, r *tool.Reply) error { return listAgents(s, r) }),
	}
}

// namedTool makes a tool that touches nothing outside the session.
func namedTool[In any](name, description string, run func(context.Context, In, *tool.Reply) error) *tool.Tool {
	made := tool.New(name, description, 0, run)
	made.Intent = noIntent
	return made
}

// noIntent is the intent of these tools: what a sub-agent does is judged separately.
func noIntent(json.RawMessage) (tool.Intent, error) { return tool.Intent{}, nil }

// taskTime bounds a task that its parent waits for; the calls of the sub-agent have limits of their own.
const taskTime = 6 * time.Hour

// mostTasks is how many sub-agents one call may start.
const mostTasks = 100

type agentArgs struct {
	Task        string          `json:"task" jsonschema:"the whole task: it sees nothing else of this conversation. With items, {item} stands for the item"`
	Agent       string          `json:"agent,omitempty" jsonschema:"the kind of agent" default:"general"`
	Description string          `json:"description,omitempty" jsonschema:"the task in three to six words, for the user"`
	Model       string          `json:"model,omitempty" jsonschema:"a short name of another model that the user set up"`
	Name        string          `json:"name,omitempty" jsonschema:"a short name, to send it messages later"`
	Background  bool            `json:"background,omitempty" jsonschema:"do not wait for it: its report comes with a later message"`
	Isolation   string          `json:"isolation,omitempty" enum:"worktree,none" jsonschema:"worktree: it works in its own copy of the workspace, and agent_apply merges its changes"`
	Items       []string        `json:"items,omitempty" jsonschema:"start one sub-agent for each item, several at once" maxItems:"100"`
	Schema      json.RawMessage `json:"schema,omitempty" jsonschema:"a JSON Schema (an object) that each answer must fit"`
}

// agentTool is the tool that gives tasks to sub-agents.
func (t *Team) agentTool(s *agent.Session) *tool.Tool {
	made := namedTool("agent", t.describe(), func(ctx context.Context, in agentArgs, r *tool.Reply) error { return t.run(ctx, s, in, r) })
	made.Timeout = taskTime
	made.Input = t.input(made.Input)
	return made
}

// maxDescribed is how many bytes of the description of one kind the model sees.
const maxDescribed = 400

// describe describes the tool, with all kinds.
func (t *Team) describe() string {
	var b strings.Builder
	b.WriteString("Give a task to a sub-agent. It has its own conversation and at most your rights, and answers with a report. Use it for work whose details you need not see, and for independent parts: several calls in one turn run at once. Kinds:")
	for _, k := range t.all() {
		about := k.About()
		text := strings.Join(strings.Fields(about.Description), " ")
		if len(text) > maxDescribed {
			text = strings.ToValidUTF8(text[:maxDescribed], "") + "…"
		}
		fmt.Fprintf(&b, "\n- %s: %s", about.Name, text)
	}
	return b.String()
}

// input is the schema of the tool's arguments: the kinds are those that there are, and the schema of answers is an object.
func (t *Team) input(of *schema.Schema) *schema.Schema {
	var document map[string]any
	if json.Unmarshal(of.Raw(), &document) != nil {
		return of
	}
	properties, _ := document["properties"].(map[string]any)
	var names []string
	for _, k := range t.all() {
		names = append(names, k.About().Name)
	}
	if one, ok := properties["agent"].(map[string]any); ok && len(names) > 0 {
		one["enum"] = names
		if !slices.Contains(names, "general") {
			delete(one, "default")
		}
	}
	if !t.Isolation {
		delete(properties, "isolation")
	}
	if one, ok := properties["model"].(map[string]any); ok {
		if one["description"] = fmt.Sprint(one["description"], ": ", strings.Join(t.modelNames(), ", ")); len(t.modelNames()) == 0 {
			one["description"] = "only when a skill names a model: that model"
		}
	}
	if answer, ok := properties["schema"].(map[string]any); ok {
		properties["schema"] = map[string]any{"type": "object", "description": answer["description"]}
	}
	raw, err := json.Marshal(document)
	if err != nil {
		return of
	}
	exact, err := schema.Parse(raw)
	if err != nil {
		return of
	}
	return exact
}

// tasks returns what the arguments of a call ask for, one for each item.
func (t *Team) tasks(in agentArgs) ([]event.SubAgent, error) {
	name := in.Agent
	if name == "" {
		name = "general"
	}
	found := t.Find(name)
	if found == nil {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("There is no agent %q.", name)}
	}
	if strings.TrimSpace(in.Task) == "" {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "The task is empty."}
	}
	if len(in.Schema) > 0 {
		if _, err := schema.Parse(in.Schema); err != nil {
			return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("The schema of the answers cannot be used: %v.", err)}
		}
	}
	if err := t.checkModel(in.Model); err != nil {
		return nil, err
	}
	about := found.About()
	one := event.SubAgent{Agent: name, Name: in.Name, About: in.Description, Task: in.Task, Schema: in.Schema,
		Model: in.Model, Background: in.Background || about.Background, Isolation: in.Isolation}
	switch one.Isolation {
	case "":
		one.Isolation = about.Isolation
	case "none":
		one.Isolation = ""
	}
	if len(in.Items) == 0 {
		return []event.SubAgent{one}, nil
	}
	if len(in.Items) > mostTasks {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("At most %d items in one call.", mostTasks)}
	}
	all := make([]event.SubAgent, len(in.Items))
	for i, item := range in.Items {
		each := one
		each.Item = i + 1
		if each.Task = strings.ReplaceAll(in.Task, "{item}", item); each.Task == in.Task {
			each.Task += "\n\n" + item
		}
		each.About = strings.TrimSpace(strings.TrimSpace(in.Description+" ") + " " + shortItem(item))
		if each.Name != "" {
			each.Name = fmt.Sprintf("%s-%d", in.Name, i+1)
		}
		all[i] = each
	}
	return all, nil
}

// modelNames are the short names of models, in order.
func (t *Team) modelNames() (names []string) {
	for name, ref := range t.Models {
		if ref != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkModel refuses a model that neither the user set up nor a skill names: a model does not choose whom the task is sent to.
func (t *Team) checkModel(name string) error {
	if name == "" || name == "inherit" || slices.Contains(t.modelNames(), name) || t.Model != nil && t.Model(name) {
		return nil
	}
	hint := "Leave model out."
	if names := t.modelNames(); len(names) > 0 {
		hint = "Leave model out, or take one of: " + strings.Join(names, ", ")
	}
	return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("There is no model with the short name %q.", name), Hint: hint}
}

// shortItem is an item in a few words, for people.
func shortItem(item string) string {
	item = strings.Join(strings.Fields(item), " ")
	if len(item) > 60 {
		item = strings.ToValidUTF8(item[:60], "") + "…"
	}
	return item
}

func (t *Team) run(ctx context.Context, s *agent.Session, in agentArgs, r *tool.Reply) error {
	tasks, err := t.tasks(in)
	if err != nil {
		return err
	}
	if tasks[0].Background {
		for _, task := range tasks {
			id, err := s.SubAgents().Launch(r.Call(), task)
			if err != nil {
				return err
			}
			fmt.Fprintf(r, "Started in the background: %s, id %s\n", describeTask(task), id)
		}
		fmt.Fprintln(r, "Continue with other work, or end your turn: the report comes as a message. agent_wait waits for it.")
		return nil
	}
	reports, err := s.SubAgents().Serve(ctx, r.Call(), tasks)
	if err != nil {
		return err
	}
	if len(in.Items) > 0 {
		return collectReports(in, reports, r)
	}
	one := reports[0]
	if one.Failed() {
		return &tool.Error{Text: fmt.Sprintf("The sub-agent stopped (%s): %s", one.Stop, one.Text), Hint: "agent_message with the id " + one.ID + " continues it"}
	}
	fmt.Fprintln(r, one.Text)
	r.Note("sub-agent id " + one.ID)
	return nil
}

func describeTask(t event.SubAgent) string {
	name := t.Agent
	if t.Name != "" {
		name += fmt.Sprintf(" %q", t.Name)
	}
	if t.About != "" {
		name += " (" + t.About + ")"
	}
	return name
}

// itemAnswer is the answer to one item.
type itemAnswer struct {
	Item   string          `json:"item"`
	ID     string          `json:"id"`
	Answer json.RawMessage `json:"answer,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// collectReports writes the answers to all items, and the failures apart.
func collectReports(in agentArgs, reports []agent.Report, r *tool.Reply) error {
	var done, failed []itemAnswer
	for i, report := range reports {
		a := itemAnswer{Item: in.Items[i], ID: report.ID}
		if report.Failed() {
			a.Error = fmt.Sprintf("%s: %s", report.Stop, report.Text)
			failed = append(failed, a)
			continue
		}
		a.Answer = json.RawMessage(report.Text)
		done = append(done, a)
	}
	if len(in.Schema) > 0 {
		return json.NewEncoder(r).Encode(struct {
			Answers []itemAnswer `json:"answers"`
			Failed  []itemAnswer `json:"failed"`
		}{append([]itemAnswer{}, done...), append([]itemAnswer{}, failed...)})
	}
	for _, a := range done {
		fmt.Fprintf(r, "## %s (id %s)\n\n%s\n\n", shortItem(a.Item), a.ID, a.Answer)
	}
	if len(failed) > 0 {
		fmt.Fprintf(r, "## Failed: %d of %d\n\n", len(failed), len(reports))
		for _, a := range failed {
			fmt.Fprintf(r, "- %s (id %s): %s\n", shortItem(a.Item), a.ID, a.Error)
		}
	}
	return nil
}
