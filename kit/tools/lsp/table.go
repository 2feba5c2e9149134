package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// kind is a language server that rein knows.
type kind struct {
	name     string
	files    string     // the languages, in words
	commands [][]string // the first that is installed counts
	markers  []string   // files of a root, the best one first; the nearest directory above a file that has one is its root
	ids      map[string]string
	install  string
	options  any // of initialize
}

// kinds are the servers, with the language of each extension.
var kinds = []kind{
	{name: "gopls", files: "Go", commands: [][]string{{"gopls"}}, markers: []string{"go.work", "go.mod"}, ids: map[string]string{".go": "go"},
		install: "go install golang.org/x/tools/gopls@latest", options: map[string]any{"diagnosticsDelay": "50ms"}},
	{name: "typescript-language-server", files: "TypeScript and JavaScript", commands: [][]string{{"typescript-language-server", "--stdio"}},
		markers: []string{"tsconfig.json", "jsconfig.json", "package.json"},
		ids:     map[string]string{".ts": "typescript", ".tsx": "typescriptreact", ".mts": "typescript", ".cts": "typescript", ".js": "javascript", ".jsx": "javascriptreact", ".mjs": "javascript", ".cjs": "javascript"},
		install: "npm install -g typescript-language-server typescript@5",
		options: map[string]any{"tsserver": map[string]any{"useSyntaxServer": "never"}}},
	{name: "pyright", files: "Python", commands: [][]string{{"basedpyright-langserver", "--stdio"}, {"pyright-langserver", "--stdio"}},
		markers: []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"}, ids: map[string]string{".py": "python", ".pyi": "python"},
		install: "npm install -g pyright"},
	{name: "rust-analyzer", files: "Rust", commands: [][]string{{"rust-analyzer"}}, markers: []string{"Cargo.toml"}, ids: map[string]string{".rs": "rust"},
		install: "rustup component add rust-analyzer"},
	{name: "clangd", files: "C and C++", commands: [][]string{{"clangd", "--background-index=false"}}, markers: []string{"compile_commands.json", "compile_flags.txt", ".clangd", "CMakeLists.txt"},
		ids: map[string]string{".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp"}, install: "apt install clangd"},
}

// Server is a language server that rein knows.
type Server struct {
	Name    string
	Files   string // the languages, in words
	Install string // the command that installs it
	Program string // where it is; "" where it is not installed
}

// Known returns the servers that rein knows.
func Known() (all []Server) {
	for _, k := range kinds {
		s := Server{Name: k.name, Files: k.files, Install: k.install}
		if c := k.command(); c != nil {
			s.Program = c[0]
		}
		all = append(all, s)
	}
	return all
}

// kindOf returns the server for a file; nil where there is none.
func kindOf(path string) *kind {
	ext := strings.ToLower(filepath.Ext(path))
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.ids[ext] != "" })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// command is the command that starts the server, with the whole path of its program; nil where it is not installed.
func (k *kind) command() []string {
	for _, c := range k.commands {
		if program, err := exec.LookPath(c[0]); err == nil && !promised(program) {
			return append([]string{program}, c[1:]...)
		}
	}
	return nil
}

// promised reports whether a program is only a link of rustup, which has one also for what it has not installed.
func promised(program string) bool {
	if real, err := filepath.EvalSymlinks(program); err != nil || filepath.Base(real) != "rustup" {
		return false
	}
	home := os.Getenv("RUSTUP_HOME")
	if dir, err := os.UserHomeDir(); home == "" && err == nil {
		home = filepath.Join(dir, ".rustup")
	}
	there, _ := filepath.Glob(filepath.Join(home, "toolchains", "*", "bin", filepath.Base(program)))
	return len(there) == 0
}

// rootOf is the nearest directory above a file, not above the workspace, that has a marker. The first marker is looked for
// first. Without one it is the workspace.
func (k *kind) rootOf(workspace, path string) string {
	for _, m := range k.markers {
		for dir := filepath.Dir(path); within(workspace, dir); dir = filepath.Dir(dir) {
			if _, err := os.Lstat(filepath.Join(dir, m)); err == nil {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return workspace
}

// within reports whether a path is a directory or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
