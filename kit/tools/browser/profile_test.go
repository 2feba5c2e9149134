package browser

import (
	"os"
	"strings"
	"testing"
)

// TestAProfileOutlivesTheBrowser: the second browser knows the cookies of the first one, which leaves nothing else.
func TestAProfileOutlivesTheBrowser(t *testing.T) {
	b, base := newBrowser(t)
	var kept []byte
	writes := 0
	b.options.Profile = &Profile{Load: func() ([]byte, error) { return kept, nil }, Keep: func(cookies []byte) error {
		kept = cookies
		writes++
		return nil
	}, Warn: func(err error) { t.Error(err) }}
	use(t, b, "navigate", m{"url": base + "/login"})
	if !strings.Contains(string(kept), "ada") {
		t.Fatalf("kept %s", kept)
	}
	before := writes
	use(t, b, "snapshot", m{})
	if writes != before {
		t.Error("the same cookies were written again")
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(os.TempDir()); err != nil || len(list) != 0 {
		t.Errorf("%v is left, %v", list, err)
	}
	text, _ := use(t, b, "navigate", m{"url": base + "/who"})
	wants(t, text, "user=ada", "short=yes")
}
