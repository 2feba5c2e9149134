//go:build unix && !darwin

package settings

import "testing"

// Without a desktop session nothing is started and nothing is asked.
func TestNoDesktopSession(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if checkKeyring() == nil {
		t.Error("there is a keyring")
	}
	if err := setKeyring("rein", "X", "secret"); err == nil || err.Error() != checkKeyring().Error() {
		t.Errorf("%v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/bus")
	if _, err := getKeyring("rein", "X"); err == nil {
		t.Error("a bus that is not there has a secret")
	}
}
