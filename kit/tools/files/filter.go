package files

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"rein/internal/plaintext"
	"rein/tool"
)

// globMatcher returns a function that matches paths. A glob without a slash matches the name alone, at any depth.
func globMatcher(glob string) (func(path string) bool, error) {
	glob = strings.TrimPrefix(glob, "./")
	if !doublestar.ValidatePattern(glob) {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is not a valid glob", glob),
			Hint: `Use * ? [abc] {a,b} and **, such as "**/*_test.go".`}
	}
	if choices(glob) > maxChoices {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("the glob has more than %d combinations of {…}", maxChoices), Hint: "Send several simpler globs."}
	}
	if ending, ok := strings.CutPrefix(strings.TrimPrefix(glob, "**/"), "*."); ok && !strings.ContainsAny(ending, `*?[]{}\/`) {
		return func(p string) bool { return strings.HasSuffix(p, "."+ending) }, nil
	}
	if !strings.Contains(glob, "/") {
		return func(p string) bool { return doublestar.MatchUnvalidated(glob, path.Base(p)) }, nil
	}
	return func(p string) bool { return doublestar.MatchUnvalidated(glob, p) }, nil
}

// maxChoices limits the combinations of alternatives in a glob: each may be tried on every file.
const maxChoices = 1000

// choices is the product of the numbers of alternatives of all braces, or more than maxChoices.
func choices(glob string) int {
	product := 1
	var open []int // alternatives of the braces that are open
	for i := 0; i < len(glob) && product <= maxChoices; i++ {
		switch glob[i] {
		case '\\':
			i++
		case '{':
			open = append(open, 1)
		case ',':
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if n := len(open); n > 0 {
				product *= open[n-1]
				open = open[:n-1]
			}
		}
	}
	return product
}

// fileFilter returns a function that matches a glob and a file type. An empty one matches everything.
func fileFilter(glob, kind string) (func(path string) bool, error) {
	all := func(string) bool { return true }
	byGlob, byType := all, all
	if glob != "" {
		m, err := globMatcher(glob)
		if err != nil {
			return nil, err
		}
		byGlob = m
		if strings.Contains(glob, "/") && !strings.HasPrefix(glob, "**/") && !strings.HasPrefix(glob, "/") {
			deep, err := globMatcher("**/" + strings.TrimPrefix(glob, "./"))
			if err != nil {
				return nil, err
			}
			byGlob = func(p string) bool { return m(p) || deep(p) }
		}
	}
	if kind != "" {
		m, err := typeMatcher(kind)
		if err != nil {
			return nil, err
		}
		byType = m
	}
	return func(p string) bool { return byType(p) && byGlob(p) }, nil
}

// fileType is a language with the names of its files: endings with a dot, or whole names.
type fileType struct {
	names []string
	files []string
}

func fileTypes() []fileType {
	return []fileType{
		{[]string{"go", "golang"}, []string{".go"}},
		{[]string{"py", "python"}, []string{".py", ".pyi", ".pyw"}},
		{[]string{"js", "javascript"}, []string{".js", ".jsx", ".mjs", ".cjs", ".vue"}},
		{[]string{"ts", "typescript"}, []string{".ts", ".tsx", ".mts", ".cts"}},
		{[]string{"rust", "rs"}, []string{".rs"}},
		{[]string{"java"}, []string{".java"}},
		{[]string{"kotlin", "kt"}, []string{".kt", ".kts"}},
		{[]string{"c"}, []string{".c", ".h"}},
		{[]string{"cpp", "c++", "cc"}, []string{".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl"}},
		{[]string{"cs", "csharp"}, []string{".cs"}},
		{[]string{"swift"}, []string{".swift"}},
		{[]string{"ruby", "rb"}, []string{".rb", "Gemfile", "Rakefile", ".gemspec"}},
		{[]string{"php"}, []string{".php"}},
		{[]string{"scala"}, []string{".scala", ".sbt"}},
		{[]string{"lua"}, []string{".lua"}},
		{[]string{"dart"}, []string{".dart"}},
		{[]string{"elixir", "ex"}, []string{".ex", ".exs"}},
		{[]string{"haskell", "hs"}, []string{".hs"}},
		{[]string{"zig"}, []string{".zig"}},
		{[]string{"r"}, []string{".r", ".R", ".Rmd"}},
		{[]string{"sh", "shell", "bash"}, []string{".sh", ".bash", ".zsh", ".bashrc", ".zshrc"}},
		{[]string{"sql"}, []string{".sql"}},
		{[]string{"html"}, []string{".html", ".htm", ".xhtml"}},
		{[]string{"css"}, []string{".css", ".scss", ".sass", ".less"}},
		{[]string{"json"}, []string{".json", ".jsonl", ".jsonc"}},
		{[]string{"yaml", "yml"}, []string{".yaml", ".yml"}},
		{[]string{"toml"}, []string{".toml"}},
		{[]string{"xml"}, []string{".xml", ".xsd", ".svg"}},
		{[]string{"md", "markdown"}, []string{".md", ".markdown", ".mdx"}},
		{[]string{"txt", "text"}, []string{".txt"}},
		{[]string{"proto", "protobuf"}, []string{".proto"}},
		{[]string{"docker", "dockerfile"}, []string{"Dockerfile", ".dockerfile"}},
		{[]string{"make", "makefile"}, []string{"Makefile", "makefile", "GNUmakefile", ".mk"}},
		{[]string{"terraform", "tf"}, []string{".tf", ".tfvars"}},
	}
}

func typeMatcher(kind string) (func(path string) bool, error) {
	kind = strings.ToLower(strings.TrimPrefix(kind, "."))
	var all []string
	for _, t := range fileTypes() {
		if slices.Contains(t.names, kind) {
			return func(p string) bool {
				return slices.ContainsFunc(t.files, func(f string) bool {
					return strings.HasSuffix(p, f) && (f[0] == '.' || path.Base(p) == f)
				})
			}, nil
		}
		all = append(all, t.names...)
	}
	hint := "use glob, such as *." + kind
	if n := plaintext.NearestName(kind, all); n != "" {
		hint = "Did you mean " + n + "? Else " + hint
	}
	return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("unknown file type %q", kind), Hint: hint}
}
