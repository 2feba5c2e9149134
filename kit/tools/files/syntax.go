package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// syntaxFault is the first thing that is wrong with a text.
type syntaxFault struct {
	Line int // from one; zero if it is not known
	Text string
}

// maxSize is the largest text that is checked, in bytes.
const maxSize = 2 << 20

// A syntaxRunner runs a program in the sandbox with an input and returns what it prints. It fails when the program does.
type syntaxRunner func(ctx context.Context, argv []string, input string) (output string, err error)

// checkSyntax reads a text in the language of the file's extension: Go, JSON, YAML, TOML, and Python where the system has
// python3 and there is a Runner for it. It returns nil for a text that is well formed, too large, or in another language.
func checkSyntax(ctx context.Context, run syntaxRunner, name, text string) *syntaxFault {
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
		return checkPython(ctx, run, text)
	}
	return nil
}

func checkGo(text string) *syntaxFault {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return &syntaxFault{list[0].Pos.Line, list[0].Msg}
	}
	return nil
}

func checkJSON(text string) *syntaxFault {
	var v any
	text = strings.TrimPrefix(text, "\ufeff")
	err := json.Unmarshal([]byte(text), &v)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &syntaxFault{1 + strings.Count(text[:min(int(e.Offset), len(text))], "\n"), e.Error()}
	}
	return nil
}

var lineInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })

func checkYAML(text string) *syntaxFault {
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

func faultOf(text string) *syntaxFault {
	f := &syntaxFault{Text: strings.TrimPrefix(text, "yaml: ")}
	if m := lineInText().FindStringSubmatch(f.Text); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		f.Text = f.Text[len(m[0]):]
	}
	return f
}

func checkTOML(text string) *syntaxFault {
	var v map[string]any
	err := toml.Unmarshal([]byte(text), &v)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return &syntaxFault{line, e.Error()}
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

// pythons are where the interpreter of the system may lie: never a directory of the PATH, which a program may write.
var pythons = []string{"/usr/bin/python3", "/bin/python3", "/usr/local/bin/python3", "/run/current-system/sw/bin/python3"}

func checkPython(ctx context.Context, run syntaxRunner, text string) *syntaxFault {
	at := slices.IndexFunc(pythons, func(path string) bool { _, err := os.Stat(path); return err == nil })
	if run == nil || at < 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	out, err := run(ctx, []string{pythons[at], "-I", "-S", "-B", "-W", "ignore", "-c", pythonCheck}, text)
	if err != nil || out == "" {
		return nil
	}
	line, msg, _ := strings.Cut(strings.TrimSpace(out), " ")
	n, err := strconv.Atoi(line)
	if err != nil {
		return nil // not what our script prints
	}
	return &syntaxFault{n, msg}
}

// String is the fault as a line for a message.
func (f *syntaxFault) String() string {
	if f.Line == 0 {
		return f.Text
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Text)
}
