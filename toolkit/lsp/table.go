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
	commands [][]string // the first that is installed counts
	markers  []string   // files of a root, the best one first; the nearest directory above a file that has one is its root
	ids      map[string]string
	install  string
	options  any // of initialize
}

// kinds are the servers, with the language of each extension.
var kinds = []kind{
	{name: "gopls", commands: [][]string{{"gopls"}}, markers: []string{"go.work", "go.mod"}, ids: map[string]string{".go": "go"},
		install: "go install golang.org/x/tools/gopls@latest", options: map[string]any{"diagnosticsDelay": "50ms"}},
	{name: "typescript-language-server", commands: [][]string{{"typescript-language-server", "--stdio"}},
		markers: []string{"tsconfig.json", "jsconfig.json", "package.json"},
		ids:     map[string]string{".ts": "typescript", ".tsx": "typescriptreact", ".mts": "typescript", ".cts": "typescript", ".js": "javascript", ".jsx": "javascriptreact", ".mjs": "javascript", ".cjs": "javascript"},
		install: "npm install -g typescript-language-server typescript@5",
		options: map[string]any{"tsserver": map[string]any{"useSyntaxServer": "never"}}},
	{name: "pyright", commands: [][]string{{"basedpyright-langserver", "--stdio"}, {"pyright-langserver", "--stdio"}},
		markers: []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"}, ids: map[string]string{".py": "python", ".pyi": "python"},
		install: "npm install -g pyright"},
	{name: "rust-analyzer", commands: [][]string{{"rust-analyzer"}}, markers: []string{"Cargo.toml"}, ids: map[string]string{".rs": "rust"},
		install: "rustup component add rust-analyzer"},
	{name: "clangd", commands: [][]string{{"clangd", "--background-index=false"}}, markers: []string{"compile_commands.json", "compile_flags.txt", ".clangd", "CMakeLists.txt"},
		ids: map[string]string{".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp"}, install: "apt install clangd"},
}

// Installed gives the names of the servers that are installed, and how to install the others.
func Installed() (names []string, missing map[string]string) {
	missing = map[string]string{}
	for _, k := range kinds {
		if k.command() != nil {
			names = append(names, k.name)
		} else {
			missing[k.name] = k.install
		}
	}
	return names, missing
}

// kindOf gives the server for a file; nil where there is none.
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
		if program, err := exec.LookPath(c[0]); err == nil {
			return append([]string{program}, c[1:]...)
		}
	}
	return nil
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
