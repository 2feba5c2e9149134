package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Keys that the user entered are found as those of the environment, which come first.
func TestKeysAreKept(t *testing.T) {
	d := Dirs{Config: filepath.Join(t.TempDir(), "config")}
	t.Setenv("FIRST_API_KEY", "")
	t.Setenv("SECOND_API_KEY", "of the environment")
	if err := d.UseKeys(); err != nil {
		t.Fatalf("without a file: %v", err)
	}
	for _, name := range []string{"FIRST_API_KEY", "SECOND_API_KEY", "THIRD_API_KEY"} {
		if _, err := d.KeepKey(name, "entered"); err != nil {
			t.Fatal(err)
		}
	}
	file, err := d.KeepKey("THIRD_API_KEY", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.UseKeys(); err != nil || os.Getenv("FIRST_API_KEY") != "entered" || os.Getenv("SECOND_API_KEY") != "of the environment" || os.Getenv("THIRD_API_KEY") != "" {
		t.Errorf("%v, %q, %q, %q", err, os.Getenv("FIRST_API_KEY"), os.Getenv("SECOND_API_KEY"), os.Getenv("THIRD_API_KEY"))
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if HasKeyring() != nil { // nothing of this test goes into the keyring of its user
		if err := d.KeepKeyInKeyring("FOURTH_API_KEY", "entered"); err == nil {
			t.Error("a key is in a keyring that is not there")
		}
		if raw, err := os.ReadFile(file); err != nil || strings.Contains(string(raw), "FOURTH") {
			t.Errorf("%s, %v", raw, err)
		}
		t.Setenv("FIRST_API_KEY", "")
		t.Setenv("FOURTH_API_KEY", "")
		if _, err := d.keepKey("FOURTH_API_KEY", inKeyring); err != nil {
			t.Fatal(err)
		}
		if err := d.UseKeys(); err == nil || !strings.Contains(err.Error(), "FOURTH_API_KEY") || os.Getenv("FIRST_API_KEY") != "entered" || os.Getenv("FOURTH_API_KEY") != "" {
			t.Errorf("%v, %q, %q", err, os.Getenv("FIRST_API_KEY"), os.Getenv("FOURTH_API_KEY"))
		}
	}
	if err := os.WriteFile(file, []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.UseKeys(); err == nil {
		t.Error("a damaged file is no error")
	}
}
