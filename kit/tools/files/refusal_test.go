package files

import (
	"errors"
	"io/fs"
	"testing"

	"rein/kit/workspace"
	"rein/tool"
)

func TestWhatTheSystemRefusesIsNoDenial(t *testing.T) {
	for _, row := range []struct {
		rule string
		err  error
		want tool.Kind
	}{
		{"a file that the user may not read", &workspace.Error{Kind: workspace.Denied, Err: fs.ErrPermission}, tool.Failed},
		{"a private file with a second link", &workspace.Error{Kind: workspace.Denied}, tool.Denied},
	} {
		got, ok := errors.AsType[*tool.Error](refusal(row.err))
		if !ok || got.Kind != row.want {
			t.Errorf("%s: got %+v, want %s", row.rule, got, row.want)
		}
	}
}
