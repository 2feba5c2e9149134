package settings

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a directory that anybody may write, anybody could put settings that turn the sandbox off.
func TestWithoutHOMENothingIsReadFromTheTemporaryDirectory(t *testing.T) {
	for _, name := range []string{"HOME", "USERPROFILE", "REIN_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, "")
	}
	d := DefaultDirs()
	for _, dir := range []string{d.Config, d.Sessions, d.Output, d.Private, d.State} {
		if !filepath.IsAbs(dir) || strings.HasPrefix(dir, os.TempDir()+string(filepath.Separator)) {
			t.Errorf("it keeps things in %q", dir)
		}
	}
}

func TestARelativeREINHOMEIsMadeAbsolute(t *testing.T) {
	t.Setenv("REIN_HOME", "here")
	if d := DefaultDirs(); !filepath.IsAbs(d.Config) || !filepath.IsAbs(d.Sessions) {
		t.Errorf("got %+v", d)
	}
}

func TestWhatCannotBeKeptSaysWhatHelps(t *testing.T) {
	if got := Unwritable(fmt.Errorf("mkdir /x: %w", fs.ErrPermission)).Error(); !strings.Contains(got, "mkdir /x") || !strings.Contains(got, "REIN_HOME") {
		t.Errorf("got %s", got)
	}
	if got := Unwritable(fs.ErrInvalid); got != fs.ErrInvalid {
		t.Errorf("got %v", got)
	}
}
