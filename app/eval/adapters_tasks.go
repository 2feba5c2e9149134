package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"rein/internal/plainfile"
	"rein/kit/script"
)

// terminalBench reads the tasks of Terminal-Bench, a directory each: task.yaml with run-tests.sh, tests and solution.sh, or task.toml with
// instruction.md, environment, tests and solution. There is no image: the workspace stands for its directory (/app), and has the files that
// the Dockerfile copies.
func (a *Adapter) terminalBench(dir string) (all []*Case, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		task := &terminalTask{dir: filepath.Join(dir, e.Name()), root: "/app"}
		if !e.IsDir() || !task.isThere() {
			continue
		}
		c, err := task.toCase(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", task.dir, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// terminalTask is one task.
type terminalTask struct {
	dir    string
	modern bool   // with task.toml
	root   string // the directory of the image that is the workspace

	Instruction string   `yaml:"instruction"`
	Tags        []string `yaml:"tags"`
	Seconds     float64  `yaml:"max_agent_timeout_sec"`
}

func (t *terminalTask) isThere() bool {
	_, err := os.Stat(filepath.Join(t.dir, "task.toml"))
	if t.modern = err == nil; t.modern {
		return true
	}
	_, err = os.Stat(filepath.Join(t.dir, "task.yaml"))
	return err == nil
}

// read reads what the task says of itself.
func (t *terminalTask) read() error {
	if !t.modern {
		text, err := plainfile.ReadNamed(filepath.Join(t.dir, "task.yaml"))
		if err != nil {
			return err
		}
		return yaml.Unmarshal(text, t) // it has many more keys
	}
	text, err := plainfile.ReadNamed(filepath.Join(t.dir, "task.toml"))
	if err != nil {
		return err
	}
	var about struct {
		Metadata struct{ Tags []string }
		Agent    struct {
			Timeout float64 `toml:"timeout_sec"`
		}
	}
	if err := toml.Unmarshal(text, &about); err != nil {
		return err
	}
	instruction, err := plainfile.ReadNamed(filepath.Join(t.dir, "instruction.md"))
	t.Instruction, t.Tags, t.Seconds = string(instruction), about.Metadata.Tags, about.Agent.Timeout
	return err
}

// here writes the paths of the image as paths of the workspace.
func (t *terminalTask) here(text string) string {
	text = strings.ReplaceAll(text, "/logs/verifier", "./.logs/verifier")
	for _, p := range []struct{ from, to string }{{t.root, "."}, {"/tests", "./tests"}, {"/solution", "./solution"}} {
		text = regexp.MustCompile(`(^|[\s"'=(:\x60])`+regexp.QuoteMeta(p.from)+`\b`).ReplaceAllString(text, "${1}"+p.to)
	}
	return text
}

func (t *terminalTask) toCase(a *Adapter) (*Case, error) {
	if err := t.read(); err != nil {
		return nil, err
	}
	c := &Case{Name: filepath.Base(t.dir), Tags: append([]string{"terminal-bench"}, t.Tags...), file: t.dir, dir: t.dir}
	c.Workspace.Files, c.Hidden = Files{}, Files{}
	c.Limits.Time = time.Duration(t.Seconds * float64(time.Second))
	if err := t.image(c, a.Installed); err != nil {
		return nil, err
	}
	c.Prompt = t.here(t.Instruction)
	c.Workspace.Setup = append(c.Workspace.Setup, a.Setup...)
	if err := t.addAll(c.Hidden, "tests", "tests"); err != nil {
		return nil, err
	}
	run := "TEST_DIR=./tests bash run-tests.sh"
	if t.modern { // the reward counts, where there is one
		run = `mkdir -p .logs/verifier; bash tests/test.sh; code=$?; if [ -f .logs/verifier/reward.txt ]; then grep -qx '1\(\.0*\)\?' .logs/verifier/reward.txt; else exit $code; fi`
	} else if err := t.addAll(c.Hidden, "run-tests.sh", "run-tests.sh"); err != nil {
		return nil, err
	}
	c.Checks = []Check{{Command: &CommandCheck{Run: cmp.Or(a.Test, run)}}}
	for _, name := range []string{"solution.sh", "solution/solve.sh"} {
		if text, err := plainfile.Read(filepath.Join(t.dir, name)); err == nil {
			c.Script = oracle([]script.Call{callOf("bash", map[string]string{"command": t.here(string(text))})}, "Done.")
		}
	}
	return c, nil
}

// addAll adds a file, or the files below a directory, under another name.
func (t *terminalTask) addAll(files Files, from, to string) error {
	base := filepath.Join(t.dir, from)
	return filepath.WalkDir(base, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := plainfile.Read(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, name)
		if err == nil {
			files[path.Join(to, filepath.ToSlash(rel))] = Content(t.here(string(text)))
		}
		return err
	})
}

// installs matches commands of a Dockerfile that install what an image has.
var installs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(apt|apt-get|apk|dnf|pip|pip3|uv|npm|cargo|go install|curl|wget|git clone)\b`)
})

// image reads the Dockerfile: files that are copied into the workspace, and commands that are run there. What it installs has to be on the
// machine; unless that is said, the case is skipped.
func (t *terminalTask) image(c *Case, installed bool) error {
	below := ""
	if t.modern {
		below = "environment"
	}
	text, err := plainfile.Read(filepath.Join(t.dir, below, "Dockerfile"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch args := strings.Fields(rest); strings.ToUpper(word) {
		case "WORKDIR":
			t.root = strings.TrimSuffix(strings.TrimSpace(rest), "/")
		case "COPY", "ADD":
			args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "--") })
			if len(args) < 2 {
				return fmt.Errorf("the Dockerfile: %q cannot be read", line)
			}
			if err := t.copied(c, below, args[:len(args)-1], args[len(args)-1]); err != nil {
				return fmt.Errorf("the Dockerfile: %w", err)
			}
		case "RUN":
			switch {
			case !installs().MatchString(rest):
				c.Workspace.Setup = append(c.Workspace.Setup, t.here(rest))
			case !installed:
				c.unmet = "its image runs " + firstOf(rest) + " (installed: true in adapter.yaml, if this machine has all of it)"
			}
		}
	}
	return nil
}

// copied adds what COPY copies, where it lies in the workspace.
func (t *terminalTask) copied(c *Case, below string, from []string, to string) error {
	target := path.Join(t.root, to)
	if path.IsAbs(to) {
		target = path.Clean(to)
	}
	inside, ok := strings.CutPrefix(target+"/", t.root+"/")
	if !ok {
		return fmt.Errorf("%s is outside of %s", to, t.root)
	}
	for _, name := range from {
		at := strings.TrimSuffix(inside, "/")
		if info, err := os.Stat(filepath.Join(t.dir, below, name)); err == nil && !info.IsDir() && (strings.HasSuffix(to, "/") || to == "." || len(from) > 1 || at == "") {
			at = path.Join(at, path.Base(name))
		}
		if err := t.addAll(c.Workspace.Files, filepath.Join(below, name), at); err != nil {
			return err
		}
	}
	return nil
}

// tauTask is a task of tau-bench. Replies are ours: what the user says, for a user without a model.
type tauTask struct {
	UserID      string `json:"user_id"`
	Instruction string `json:"instruction"`
	Actions     []struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
		Kwargs    map[string]any `json:"kwargs"`
	} `json:"actions"`
	Outputs []string `json:"outputs"`
	Replies []struct{ When, Say string }
}

// tauTool is a tool of tau-bench, as a function of OpenAI's; changes and replies are ours: there is no database.
type tauTool struct {
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	} `json:"function"`
	Changes bool
	Replies []struct {
		When  map[string]any
		Text  string
		Fails bool
	}
}

// tauBench reads tasks.json, tools.json and policy.md. A task is passed when the tools that change something were called exactly as its actions
// say, and the outputs are in answers.
func (a *Adapter) tauBench(dir string) (all []*Case, err error) {
	tools, err := jsonRows[tauTool](filepath.Join(dir, "tools.json"))
	if err != nil {
		return nil, err
	}
	tasks, err := jsonRows[tauTask](filepath.Join(dir, "tasks.json"))
	if err != nil {
		return nil, err
	}
	policy, err := plainfile.Read(filepath.Join(dir, "policy.md"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for i := range tasks {
		c, err := tasks[i].toCase(a, tools)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", i+1, err)
		}
		c.Name, c.file, c.dir, c.System = fmt.Sprintf("%s %d", filepath.Base(dir), i+1), filepath.Join(dir, "tasks.json"), dir, string(policy)
		if c.raw, err = json.Marshal([]any{tools, tasks[i]}); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (t *tauTask) toCase(a *Adapter, tools []tauTool) (*Case, error) {
	c := &Case{Tags: []string{"tau-bench"}, User: &User{Model: a.User, Instructions: t.Instruction}}
	if t.Replies != nil {
		c.User.Model = ""
	}
	for _, r := range t.Replies {
		re, err := regexp.Compile("(?i)" + r.When)
		if err != nil {
			return nil, err
		}
		c.User.Replies = append(c.User.Replies, Reply{script.Pattern{Regexp: re}, r.Say})
	}
	times, calls := map[string]int{}, []script.Call{}
	for _, action := range t.Actions {
		args := action.Arguments
		if args == nil {
			args = action.Kwargs
		}
		times[action.Name]++
		calls = append(calls, callOf(action.Name, args))
		c.Checks = append(c.Checks, Check{Call: &CallCheck{Tool: action.Name, With: args}})
	}
	for _, tool := range tools {
		own := MockTool{Name: tool.Function.Name, Description: tool.Function.Description, Parameters: tool.Function.Parameters, Changes: tool.Changes}
		for _, r := range tool.Replies {
			own.Replies = append(own.Replies, MockReply{r.When, r.Text, r.Fails})
		}
		c.Tools, c.Offer = append(c.Tools, own), append(c.Offer, own.Name)
		if most := times[own.Name]; own.Changes {
			c.Checks = append(c.Checks, Check{Call: &CallCheck{Tool: own.Name, Ran: true, Min: new(int), Max: &most}})
			c.Answers = append(c.Answers, Answering{Tool: own.Name, Approve: true})
		}
	}
	for _, output := range t.Outputs {
		c.Checks = append(c.Checks, Check{Answer: &AnswerCheck{Any: true, TextCheck: TextCheck{Contains: Texts{output}}}})
	}
	c.Script = oracle(calls, strings.Join(append(t.Outputs, "Done."), " "))
	return c, nil
}
