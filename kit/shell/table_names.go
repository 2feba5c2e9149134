package shell

import (
	"embed"
	"fmt"
	"sync"

	"rein/guard/effect"
)

//go:embed names/*.txt
var nameFiles embed.FS

// nameTableFiles are the tables of the files in names, read when the first of them is needed.
var nameTableFiles = sync.OnceValue(func() map[string]effect.NameTable {
	all, err := loadNames()
	if err != nil {
		panic(err) // a test reads the same files
	}
	return all
})

func codeExtensions() effect.NameTable { return nameTableFiles()["code-extensions"] }
func optionWords() effect.NameTable    { return nameTableFiles()["option-words"] }
func optionProducts() effect.NameTable { return nameTableFiles()["option-products"] }
func optionOutputs() effect.NameTable  { return nameTableFiles()["option-outputs"] }
func optionWritten() effect.NameTable  { return nameTableFiles()["option-written"] }
func optionLabels() effect.NameTable   { return nameTableFiles()["option-labels"] }
func commandStarts() effect.NameTable  { return nameTableFiles()["command-starts"] }

// environmentNames returns the rule for each variable of the environment that programs look at.
func environmentNames() effect.NameTable { return nameTableFiles()["environment"] }

// bareTools returns the compilers and editors that a variable may name.
func bareTools() effect.NameTable { return nameTableFiles()["bare-tools"] }

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
