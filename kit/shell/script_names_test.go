package shell

import (
	"testing"
)

func TestNameFileIsWellFormed(t *testing.T) {
	used := map[string]func() nameTable{
		"code-calls": codeCalls, "code-net": codeNet, "code-installs": codeInstalls, "code-files": codeFiles, "code-system": codeSystem, "runners": runners,
		"code-joins": codeJoins, "code-letters": codeLetters, "code-home-texts": codeHomeTexts,
	}
	for name, table := range used {
		if len(table()) == 0 {
			t.Errorf("the table %s is empty", name)
		}
	}
	for name := range nameTables() {
		if used[name] == nil {
			t.Errorf("nobody uses the table %s", name)
		}
	}
}
