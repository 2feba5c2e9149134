package shell

import (
	_ "embed"
	"sync"
)

//go:embed names.txt
var nameFile string

// nameTables are the tables of names.txt, read when the first of them is needed.
var nameTables = sync.OnceValue(func() map[string]nameTable {
	all := map[string]nameTable{}
	if err := parseNames(all, nameFile); err != nil {
		panic(err) // a test reads the same file
	}
	return all
})

func codeCalls() nameTable    { return nameTables()["code-calls"] }
func codeNet() nameTable      { return nameTables()["code-net"] }
func codeInstalls() nameTable { return nameTables()["code-installs"] }
func codeFiles() nameTable    { return nameTables()["code-files"] }
func codeSystem() nameTable   { return nameTables()["code-system"] }
func runners() nameTable      { return nameTables()["runners"] }
