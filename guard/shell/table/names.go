package table

import (
	"embed"
	"fmt"
	"sync"

	"rein/guard/effect"
)

//go:embed names/*.txt
var nameFiles embed.FS

// nameTables are the tables of the files in names, read when the first of them is needed.
var nameTables = sync.OnceValue(func() map[string]effect.NameTable {
	all, err := loadNames()
	if err != nil {
		panic(err) // a test reads the same files
	}
	return all
})

func codeExtensions() effect.NameTable { return nameTables()["code-extensions"] }
func optionWords() effect.NameTable    { return nameTables()["option-words"] }
func optionProducts() effect.NameTable { return nameTables()["option-products"] }
func optionOutputs() effect.NameTable  { return nameTables()["option-outputs"] }
func optionWritten() effect.NameTable  { return nameTables()["option-written"] }
func optionLabels() effect.NameTable   { return nameTables()["option-labels"] }
func commandStarts() effect.NameTable  { return nameTables()["command-starts"] }

// EnvironmentNames returns the rule for each variable of the environment that programs look at.
func EnvironmentNames() effect.NameTable { return nameTables()["environment"] }

// BareTools returns the compilers and editors that a variable may name.
func BareTools() effect.NameTable { return nameTables()["bare-tools"] }

func loadNames() (map[string]effect.NameTable, error) {
	all := map[string]effect.NameTable{}
	for _, file := range []string{"environment.txt", "options.txt"} {
		text, err := nameFiles.ReadFile("names/" + file)
		if err != nil {
			return nil, err
		}
		if err := effect.ParseNames(all, string(text)); err != nil {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
	}
	return all, nil
}
