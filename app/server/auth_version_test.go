package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The version is another one after each change of who is let in, by this store, by another process, and by time, and stays without one.
func TestUsersHaveAVersion(t *testing.T) {
	dir := t.TempDir()
	s, _, err := OpenUsers(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := OpenUsers(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var cookie string
	remember := func(age time.Duration) error {
		c, err := s.remember(login{}, age)
		cookie = c
		return err
	}
	add := func(name string) error { _, err := s.Add(User{Name: name, Role: RoleViewer}); return err }
	for _, row := range []struct {
		name   string
		change func() error
		later  bool // it is looked for
	}{
		{"added", func() error { return add("mei") }, false},
		{"removed", func() error { return s.Remove("mei") }, false},
		{"signed in", func() error { return remember(time.Hour) }, false},
		{"signed out", func() error { return s.SignOut(cookie) }, false},
		{"another provider", func() error { s.Accept("x"); return nil }, false},
		{"added to be removed", func() error { return add("li") }, false},
		{"removed elsewhere", func() error { return other.Remove("li") }, true},
		{"the owner's key elsewhere", func() error { _, err := NewKey(dir, ""); return err }, true},
		{"the owner's key by hand", func() error { return os.Remove(filepath.Join(dir, "key")) }, true},
		{"a login that ends soon", func() error { return remember(20 * lookEvery) }, false},
		{"it has ended", func() error { time.Sleep(20 * lookEvery); return nil }, true},
		{"a file that cannot be read", func() error { return os.WriteFile(filepath.Join(dir, "users.json"), []byte("{"), 0o600) }, true},
	} {
		time.Sleep(2 * lookEvery)
		before := s.Version()
		if s.Version() != before {
			t.Errorf("before %s: the version changes by itself", row.name)
		}
		if err := row.change(); err != nil {
			t.Fatal(row.name, err)
		}
		if row.later {
			time.Sleep(2 * lookEvery)
		}
		if s.Version() == before {
			t.Errorf("%s: the version is the same", row.name)
		}
	}
}

// What a user does is shown under the name, so nobody else's can be taken.
func TestNamesOfUsers(t *testing.T) {
	s, _, err := OpenUsers(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mei", "梅", "a.b-c_9"} {
		if _, err := s.Add(User{Name: name, Role: RoleViewer}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "mei", "a b", "mei@example.org", "owner", "Owner"} {
		if _, err := s.Add(User{Name: name, Role: RoleViewer}); err != errName {
			t.Errorf("%q: %v", name, err)
		}
	}
}
