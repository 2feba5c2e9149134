package settings

import (
	"io/fs"
	"testing"
)

// TestWhoseRulesAreBelieved is approval-09: a file of rules that somebody else may write.
func TestWhoseRulesAreBelieved(t *testing.T) {
	for _, row := range []struct {
		rule      string
		mode      fs.FileMode
		owner, me int
		believed  bool
	}{
		{"one's own", 0o600, 1000, 1000, true},
		{"one's own, read by all", 0o644, 1000, 1000, true},
		{"root's", 0o644, 0, 1000, true},
		{"root's own", 0o600, 0, 0, true},
		{"approval-09 anybody may write it", 0o666, 1000, 1000, false},
		{"approval-09 anybody may write root's", 0o602, 0, 1000, false},
		{"approval-09 another user's", 0o600, 1001, 1000, false},
		{"approval-09 another user's, read by root", 0o600, 1001, 0, false},
		{"an owner that is not known", 0o600, -1, 1000, true},
		{"a system without users", 0o600, 7, -1, true},
	} {
		if err := ownedBy(row.mode, row.owner, row.me); (err == nil) != row.believed {
			t.Errorf("%s: %v", row.rule, err)
		}
	}
}
