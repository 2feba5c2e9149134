package shell

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

// nameTable returns the group of each name that it knows.
type nameTable map[string]string

// group returns the group of a name; "" where the table does not have it.
func (t nameTable) group(name string) string { return t[name] }

// has reports whether the table has a name.
func (t nameTable) has(name string) bool { return t[name] != "" }

//go:embed names/*.txt
var nameFiles embed.FS

// nameTables are the tables of the files in names, read when the first of them is needed.
var nameTables = sync.OnceValue(func() map[string]nameTable {
	all, err := loadNames()
	if err != nil {
		panic(err) // a test loads the same files
	}
	return all
})

func codeCalls() nameTable      { return nameTables()["code-calls"] }
func codeNet() nameTable        { return nameTables()["code-net"] }
func codeInstalls() nameTable   { return nameTables()["code-installs"] }
func codeFiles() nameTable      { return nameTables()["code-files"] }
func codeSystem() nameTable     { return nameTables()["code-system"] }
func codeExtensions() nameTable { return nameTables()["code-extensions"] }
func runners() nameTable        { return nameTables()["runners"] }

func optionWords() nameTable    { return nameTables()["option-words"] }
func optionProducts() nameTable { return nameTables()["option-products"] }
func optionOutputs() nameTable  { return nameTables()["option-outputs"] }
func optionWritten() nameTable  { return nameTables()["option-written"] }
func optionLabels() nameTable   { return nameTables()["option-labels"] }
func commandStarts() nameTable  { return nameTables()["command-starts"] }

func environmentNames() nameTable { return nameTables()["environment"] }
func bareTools() nameTable        { return nameTables()["bare-tools"] }

func loadNames() (map[string]nameTable, error) {
	all := map[string]nameTable{}
	for _, file := range []string{"code.txt", "environment.txt", "options.txt"} {
		text, err := nameFiles.ReadFile("names/" + file)
		if err != nil {
			return nil, err
		}
		if err := parseNames(all, string(text)); err != nil {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
	}
	return all, nil
}

// parseNames adds the tables of a file. The errors begin with the line.
func parseNames(all map[string]nameTable, text string) error {
	var table nameTable
	group, n := "", 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		name, begins := strings.CutPrefix(line, "= ")
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case begins:
			if all[name] != nil || name == "" {
				return fmt.Errorf("%d: the table %q is there twice, or has no name", n, name)
			}
			table, group = nameTable{}, ""
			all[name] = table
		case line[0] != ' ':
			if group = line; table == nil || strings.ContainsAny(line, " \t") {
				return fmt.Errorf("%d: a group outside of a table, or of several words", n)
			}
		default:
			for _, word := range strings.Fields(line) {
				if group == "" {
					return fmt.Errorf("%d: %q is in no group", n, word)
				}
				if table[word] != "" {
					return fmt.Errorf("%d: %q is in the table already, in the group %s", n, word, table[word])
				}
				table[word] = group
			}
		}
	}
	return nil
}
