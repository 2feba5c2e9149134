package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"rein/internal/plainfile"
	"rein/kit/script"
)

// Adapter says how a directory with instances of another format is read: its file adapter.yaml. Beside it are the instances.
type Adapter struct {
	Format string   `yaml:"format"` // swe-bench, terminal-bench or tau-bench
	Setup  []string `yaml:"setup"`  // commands before the first message
	Test   string   `yaml:"test"`   // the command that tests; with {test} for swe-bench. Terminal-bench: in place of the task's own

	Installed bool `yaml:"installed"` // terminal-bench: what the images would install is on this machine

	User string `yaml:"user"` // tau-bench: provider/name of the model that plays users without replies
}

// adapterFile is the name of the file.
const adapterFile = "adapter.yaml"

// adapterOf returns what reads the instances of another format in a directory; nil: it holds cases.
func adapterOf(dir string) func(string) ([]*Case, error) {
	file := filepath.Join(dir, adapterFile)
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	return func(dir string) ([]*Case, error) {
		text, err := plainfile.ReadNamed(file)
		if err != nil {
			return nil, err
		}
		var a Adapter
		d := yaml.NewDecoder(bytes.NewReader(text))
		d.KnownFields(true)
		if err := d.Decode(&a); err != nil && err != io.EOF {
			return nil, errors.Join(plainly(file, err)...)
		}
		read := map[string]func(string) ([]*Case, error){"swe-bench": a.sweBench, "terminal-bench": a.terminalBench, "tau-bench": a.tauBench}[a.Format]
		if read == nil {
			return nil, fmt.Errorf("%s: the format is swe-bench, terminal-bench or tau-bench, not %q", file, a.Format)
		}
		cases, err := read(dir)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if c.raw, err = json.Marshal([]any{a, c.Name, c.Prompt, c.System, c.Hidden, c.Workspace, c.Limits, string(c.raw)}); err == nil {
				err = c.digest()
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.file, err)
			}
		}
		return cases, nil
	}
}

// oracle is the script of a case whose format holds the solution: it shows that the case can be passed.
func oracle(calls []script.Call, text string) *script.Script {
	var turns []script.Turn
	for _, c := range calls {
		turns = append(turns, script.Turn{Calls: []script.Call{c}})
	}
	return &script.Script{Turns: append(turns, script.Turn{Text: text, Repeat: 50})}
}

func callOf(name string, args any) script.Call {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // texts and what was JSON before
	}
	return script.Call{Name: name, Args: script.Arguments(text)}
}

// jsonRows reads the rows of a file: a JSON list, or an object a line.
func jsonRows[T any](file string) (rows []T, err error) {
	text, err := plainfile.ReadNamed(file)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &rows)
	} else {
		d := json.NewDecoder(bytes.NewReader(text))
		for err == nil {
			var row T
			if err = d.Decode(&row); err == nil {
				rows = append(rows, row)
			}
		}
		if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rows, nil
}

// sweInstance is a row of SWE-bench and of what has its format.
type sweInstance struct {
	ID        string `json:"instance_id"`
	Repo      string `json:"repo"` // owner/name
	Base      string `json:"base_commit"`
	Problem   string `json:"problem_statement"`
	Patch     string `json:"patch"`
	TestPatch string `json:"test_patch"`
	Fail      names  `json:"FAIL_TO_PASS"`
	Pass      names  `json:"PASS_TO_PASS"`
	Test      string `json:"test_cmd"`
}

// names is a list of texts; the published rows hold it as the JSON of a list.
type names []string

// UnmarshalJSON implements json.Unmarshaler.
func (n *names) UnmarshalJSON(text []byte) error {
	var inner string
	if json.Unmarshal(text, &inner) == nil {
		text = []byte(inner)
	}
	return json.Unmarshal(text, (*[]string)(n))
}

// sweBench reads the rows of all .jsonl and .json files. The repositories are in repos, as owner__name: a clone, a bundle
// (owner__name.bundle) or plain files.
func (a *Adapter) sweBench(dir string) (all []*Case, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		rows, err := jsonRows[sweInstance](file)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			c, err := a.sweCase(dir, file, &row)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, row.ID, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

func (a *Adapter) sweCase(dir, file string, row *sweInstance) (*Case, error) {
	test := cmp.Or(row.Test, a.Test)
	if row.ID == "" || row.Problem == "" || len(row.Fail) == 0 || test == "" {
		return nil, errors.New("a row needs instance_id, problem_statement, FAIL_TO_PASS, and a test_cmd here or test in adapter.yaml")
	}
	raw, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	c := &Case{Name: row.ID, Tags: []string{"swe-bench", row.Repo}, file: file, dir: dir, raw: raw}
	c.Prompt = "Solve this issue of the project in the current directory. Change the code, not its tests.\n\n" + row.Problem
	name := filepath.Join("repos", strings.ReplaceAll(row.Repo, "/", "__"))
	restore := ""
	switch isThere := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }; {
	case isThere(name + ".bundle"):
		c.Workspace.Git = &Git{name + ".bundle", row.Base}
	case isThere(filepath.Join(name, ".git")), isThere(filepath.Join(name, "HEAD")):
		c.Workspace.Git = &Git{name, row.Base}
	case isThere(name):
		c.Workspace.Dir = name
	default:
		return nil, fmt.Errorf("there is no %s, nor a bundle of it", name)
	}
	if c.Workspace.Git != nil {
		c.Needs = []string{"git"}
		restore = "for f in $(sed -n 's,^--- a/,,p' .eval-test.patch); do git checkout -q " + quoted(row.Base) + " -- \"$f\"; done && "
	}
	c.Workspace.Setup = a.Setup
	if row.TestPatch != "" {
		c.Hidden = Files{".eval-test.patch": Content(row.TestPatch)}
		c.Checks = append(c.Checks, Check{Command: &CommandCheck{Run: restore + "git apply .eval-test.patch"}})
		c.Needs = []string{"git"}
	}
	for _, name := range append(row.Fail, row.Pass...) {
		c.Checks = append(c.Checks, Check{Command: &CommandCheck{Run: strings.ReplaceAll(test, "{test}", quoted(name))}})
	}
	if row.Patch != "" {
		c.Script = oracle([]script.Call{callOf("apply_patch", map[string]string{"patch": row.Patch})}, "Solved.")
	}
	return c, nil
}
