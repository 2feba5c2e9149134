package code

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	_ "embed"

	"rein/kit/sandbox"
)

// language is a language that code may have.
type language struct {
	name   string
	also   []string   // other names
	judged string     // how guards see the command
	try    [][]string // commands, the first one that is installed counts; the file is added
	file   string     // name of the file with the code
}

// languages are those that there are.
var languages = []language{
	{name: "python", also: []string{"py", "python3"}, judged: "python3 -", try: [][]string{{"python3", "-u"}, {"python", "-u"}}, file: "main.py"},
	{name: "go", also: []string{"golang"}, judged: "go run main.go", try: [][]string{{"go", "run"}}, file: "main.go"},
	{name: "javascript", also: []string{"js", "node", "nodejs"}, judged: "node -", try: [][]string{{"node"}, {"bun", "run"}, {"deno", "run", "-A"}}, file: "main.cjs"},
	{name: "typescript", also: []string{"ts"}, judged: "node -", try: [][]string{{"tsx"}, {"bun", "run"}, {"deno", "run", "-A"}, {"node", "--experimental-strip-types", "--no-warnings"}}, file: "main.ts"},
	{name: "bash", also: []string{"sh", "shell"}, judged: "bash", try: [][]string{{"bash", "--noprofile", "--norc"}}, file: "main.sh"},
}

// command is the command that runs the language here; nil where none is installed.
func (l language) command() []string {
	for _, c := range l.try {
		if _, err := exec.LookPath(c[0]); err == nil {
			return c
		}
	}
	return nil
}

func (l language) installed() bool { return l.command() != nil }

// offered are the names of the languages that are installed.
func offered() (names []string) {
	for _, l := range languages {
		if l.installed() {
			names = append(names, l.name)
		}
	}
	return names
}

// memory is how much more memory than the limit the language needs: a compiler and its linker work at once.
func (l language) memory() int64 {
	if l.name == "go" {
		return 2
	}
	return 1
}

// module is code that must be a module of JavaScript.
var module = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*(import\s+[\w{*"']|export\s|await\s)`) })

//go:embed sitecustomize.py
var customize []byte

// own is the directory beside the code that holds what rein adds.
const own = ".rein"

// prepare writes the code and says how it is run.
func (l language) prepare(dir *directory, code string) (sandbox.Spec, error) {
	file := l.file
	switch {
	case l.name == "javascript" && module().MatchString(code):
		file = "main.mjs"
	case l.name == "go" && !strings.Contains(code, "package "):
		code = "package main\n" + code
	}
	spec := sandbox.Spec{Dir: dir.path, Env: []string{"NO_COLOR=1"}}
	switch l.name {
	case "python":
		if err := python(dir, &spec); err != nil {
			return spec, err
		}
	case "go":
		spec.Env = append(spec.Env, "GO111MODULE=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=", "GOTELEMETRY=off")
	}
	spec.Argv = append(append(spec.Argv, l.command()...), file)
	return spec, dir.WriteFile(file, []byte(code), 0o600)
}

// python makes plots visible: what a program shows is saved.
func python(dir *directory, spec *sandbox.Spec) error {
	at := filepath.Join(dir.path, own)
	if err := dir.MkdirAll(own, 0o700); err != nil {
		return err
	}
	spec.Env = append(spec.Env, "PYTHONPATH="+at, "MPLBACKEND=Agg", "MPLCONFIGDIR="+at, "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8", "REIN_OUT="+dir.path)
	return dir.WriteFile(filepath.Join(own, "sitecustomize.py"), customize, 0o600)
}
