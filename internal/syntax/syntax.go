// Package syntax tells, cheaply, whether a text is well formed in its file's language, and on which line it is not.
package syntax

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// Fault is the first thing that is wrong with a text.
type Fault struct {
	Line int // from one; zero if it is not known
	Text string
}

// maxSize is the largest text that is checked, in bytes.
const maxSize = 2 << 20

// Check reads a text in the language of the file's extension: Go, JSON, YAML, TOML, and Python where python3 is installed. It returns
// nil for a text that is well formed, too large, or in another language.
func Check(ctx context.Context, name, text string) *Fault {
	if len(text) > maxSize {
		return nil
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return checkGo(text)
	case ".json":
		return checkJSON(text)
	case ".yaml", ".yml":
		return checkYAML(text)
	case ".toml":
		return checkTOML(text)
	case ".py":
		return checkPython(ctx, text)
	}
	return nil
}

func checkGo(text string) *Fault {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return &Fault{list[0].Pos.Line, list[0].Msg}
	}
	return nil
}

func checkJSON(text string) *Fault {
	var v any
	text = strings.TrimPrefix(text, "\ufeff")
	err := json.Unmarshal([]byte(text), &v)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Fault{1 + strings.Count(text[:min(int(e.Offset), len(text))], "\n"), e.Error()}
	}
	return nil
}

var lineInText = regexp.MustCompile(`^line (\d+): `)

func checkYAML(text string) *Fault {
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return faultOf(err.Error())
		}
	}
}

func faultOf(text string) *Fault {
	f := &Fault{Text: strings.TrimPrefix(text, "yaml: ")}
	if m := lineInText.FindStringSubmatch(f.Text); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		f.Text = f.Text[len(m[0]):]
	}
	return f
}

func checkTOML(text string) *Fault {
	var v map[string]any
	err := toml.Unmarshal([]byte(text), &v)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return &Fault{line, e.Error()}
	}
	return nil
}

// pythonCheck compiles its input without running it, and prints the line and the fault.
const pythonCheck = `import sys
try:
    compile(sys.stdin.buffer.read(), "f", "exec", 0, True)
except (SyntaxError, ValueError) as e:
    print(getattr(e, "lineno", 0) or 0, getattr(e, "msg", e))
`

func checkPython(ctx context.Context, text string) *Fault {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "-S", "-B", "-W", "ignore", "-c", pythonCheck)
	cmd.Env, cmd.Dir = []string{"LC_ALL=C.UTF-8"}, "/"
	cmd.Stdin = strings.NewReader(text)
	var out bytes.Buffer
	cmd.Stdout = &out
	if cmd.Run() != nil || out.Len() == 0 {
		return nil
	}
	line, msg, _ := strings.Cut(strings.TrimSpace(out.String()), " ")
	n, _ := strconv.Atoi(line)
	return &Fault{n, msg}
}

// String is the fault as a line for a message.
func (f *Fault) String() string {
	if f.Line == 0 {
		return f.Text
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Text)
}
