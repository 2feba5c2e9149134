package settings

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

const inside = "REIN_TEST_IN_A_DESKTOP_SESSION"

// A secret is kept by a real keyring: of a desktop session that the test starts, where its programs are installed.
func TestARealKeyring(t *testing.T) {
	if os.Getenv(inside) == "" {
		for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
			if _, err := exec.LookPath(program); err != nil {
				t.Skip("no " + program + " here")
			}
		}
		home := t.TempDir()
		c := exec.Command("dbus-run-session", "--", "sh", "-c", `echo | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" -test.run TestARealKeyring -test.v`, os.Args[0])
		c.Env = append(os.Environ(), inside+"=1", "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	if _, err := getKeyring("rein", "X_API_KEY"); !errors.Is(err, errNone) {
		t.Fatalf("an empty keyring: %v", err)
	}
	for _, secret := range []string{"first", "second, with\nlines and 'quotes'"} {
		if err := setKeyring("rein", "X_API_KEY", secret); err != nil {
			t.Fatal(err)
		}
		if got, err := getKeyring("rein", "X_API_KEY"); err != nil || got != secret {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := getKeyring("rein of another home", "X_API_KEY"); !errors.Is(err, errNone) {
		t.Errorf("of another service: %v", err)
	}
	if err := deleteKeyring("rein", "X_API_KEY"); err != nil {
		t.Fatal(err)
	}
	if _, err := getKeyring("rein", "X_API_KEY"); !errors.Is(err, errNone) {
		t.Errorf("after it was taken away: %v", err)
	}
}
