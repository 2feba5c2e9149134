package code

import (
	_ "embed"
	"sync"

	"rein/guard/shell/fact"
)

//go:embed names.txt
var nameFile string

// nameTables are the tables of names.txt, read when the first of them is needed.
var nameTables = sync.OnceValue(func() map[string]fact.NameTable {
	all := map[string]fact.NameTable{}
	if err := fact.ParseNames(all, nameFile); err != nil {
		panic(err) // a test reads the same file
	}
	return all
})

func codeCalls() fact.NameTable    { return nameTables()["code-calls"] }
func codeNet() fact.NameTable      { return nameTables()["code-net"] }
func codeInstalls() fact.NameTable { return nameTables()["code-installs"] }
func codeFiles() fact.NameTable    { return nameTables()["code-files"] }
func codeSystem() fact.NameTable   { return nameTables()["code-system"] }
func runners() fact.NameTable      { return nameTables()["runners"] }
