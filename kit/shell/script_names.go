package shell

import (
	_ "embed"
	"sync"

	"rein/guard/effect"
)

//go:embed names.txt
var nameFile string

// nameTables are the tables of names.txt, read when the first of them is needed.
var nameTables = sync.OnceValue(func() map[string]effect.NameTable {
	all := map[string]effect.NameTable{}
	if err := effect.ParseNames(all, nameFile); err != nil {
		panic(err) // a test reads the same file
	}
	return all
})

func codeCalls() effect.NameTable    { return nameTables()["code-calls"] }
func codeNet() effect.NameTable      { return nameTables()["code-net"] }
func codeInstalls() effect.NameTable { return nameTables()["code-installs"] }
func codeFiles() effect.NameTable    { return nameTables()["code-files"] }
func codeSystem() effect.NameTable   { return nameTables()["code-system"] }
func runners() effect.NameTable      { return nameTables()["runners"] }
