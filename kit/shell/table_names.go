package shell

import (
	"embed"
	"fmt"
	"sync"
)

//go:embed names/*.txt
var nameFiles embed.FS

// nameTableFiles are the tables of the files in names, read when the first of them is needed.
var nameTableFiles = sync.OnceValue(func() map[string]nameTable {
	all, err := loadNames()
	if err != nil {
		panic(err) // a test reads the same files
	}
	return all
})

func codeExtensions() nameTable { return nameTableFiles()["code-extensions"] }
func optionWords() nameTable    { return nameTableFiles()["option-words"] }
func optionProducts() nameTable { return nameTableFiles()["option-products"] }
func optionOutputs() nameTable  { return nameTableFiles()["option-outputs"] }
func optionWritten() nameTable  { return nameTableFiles()["option-written"] }
func optionLabels() nameTable   { return nameTableFiles()["option-labels"] }
func optionPlaces() nameTable   { return nameTableFiles()["option-places"] }
func registries() nameTable     { return nameTableFiles()["registries"] }
func commandStarts() nameTable  { return nameTableFiles()["command-starts"] }

// environmentNames returns the rule for each variable of the environment that programs look at.
func environmentNames() nameTable { return nameTableFiles()["environment"] }

// bareTools returns the compilers and editors that a variable may name.
func bareTools() nameTable { return nameTableFiles()["bare-tools"] }

func loadNames() (map[string]nameTable, error) {
	all := map[string]nameTable{}
	for _, file := range []string{"environment.txt", "options.txt"} {
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
