package harness

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"rein/kit/workspace"
	"rein/tool"
)

func TestRefineNamesWhatALinkLeadsTo(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git/hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git/hooks", filepath.Join(dir, "innocent")); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	got := inWorkspace(&Harness{}, ws).normalize(tool.Intent{Reads: []string{"./a//b", "../x", "output://s-1"}, Writes: []string{"innocent/pre-commit"}})
	want := tool.Intent{Reads: []string{"a/b", "../x", "output://s-1"}, Writes: []string{".git/hooks/pre-commit"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
