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

// codeJoins are the functions that put strings together: "directories" those that put slashes between them.
func codeJoins() nameTable { return nameTables()["code-joins"] }

// codeLetters are the functions that make text of numbers and of other text.
func codeLetters() nameTable { return nameTables()["code-letters"] }

// codeHomeTexts are expressions that give the home directory.
func codeHomeTexts() nameTable { return nameTables()["code-home-texts"] }

func runners() nameTable { return nameTables()["runners"] }
