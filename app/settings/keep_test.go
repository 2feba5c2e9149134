package settings

import (
	"os"
	"path/filepath"
	"testing"
)

func TestATextIsTakenOutOfAList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if was, err := RemoveFrom(file, "/permissions/allow", "bash(ls)"); was || err != nil {
		t.Errorf("of no file: %v, %v", was, err)
	}
	if err := os.WriteFile(file, []byte("{\n\t// mine\n\t\"permissions\": {\"allow\": [\"bash(ls)\", {\"rule\": \"bash(go:*)\", \"why\": \"x\"}, \"bash(cat:*)\"]}\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		list, rule string
		was        bool
	}{{"/permissions/deny", "bash(ls)", false}, {"/permissions/allow", "bash(l)", false}, {"/permissions/allow", "bash(go:*)", true}, {"/permissions/allow", "bash(ls)", true}, {"/permissions/allow", "bash(ls)", false}} {
		if was, err := RemoveFrom(file, row.list, row.rule); was != row.was || err != nil {
			t.Errorf("%v: %v, %v", row, was, err)
		}
	}
	got, err := os.ReadFile(file)
	if want := "{\n\t// mine\n\t\"permissions\": {\"allow\": [\"bash(cat:*)\"]},\n}\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}
