package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostNames: a name has one address while anybody uses it, before those of the machine's own file and in place of what that says of it.
func TestHostNames(t *testing.T) {
	h := &hostNames{used: map[string]*hostName{}}
	h.used["db.example"] = &hostName{}
	for line, want := range map[string]string{
		"127.0.0.1 localhost\n": "127.0.0.1 localhost\n", "10.0.0.7 db.example\n": "", "10.0.0.7\tother DB.example # x\n": "10.0.0.7 other # x\n", "# db\n": "# db\n", "": "",
	} {
		if got := h.without(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	p := backendPolicy{HostNetwork: true}
	if h, err := newHostNames(&p); err != nil || h.file != nil || p.hosts != "" {
		t.Errorf("with the network of the machine: %+v, %v", h, err)
	}
	dir := t.TempDir()
	p = backendPolicy{Proxy: func(net.Listener) {}, Own: privateDirs{session: dir}}
	h, err := newHostNames(&p)
	if err != nil || p.hosts != filepath.Join(dir, "hosts") {
		t.Fatalf("%q, %v", p.hosts, err)
	}
	defer h.Close()
	first, err := h.Take("db.example")
	again, wrong := h.Take("db.example")
	other, _ := h.Take("other.example")
	if err != nil || wrong != nil || first != again || other == first {
		t.Errorf("%v, %v, %v, %v, %v", first, again, other, err, wrong)
	}
	text := func() string {
		all, _ := os.ReadFile(p.hosts)
		return string(all)
	}
	h.GiveBack("db.example")
	if !strings.Contains(text(), first.String()+" db.example\n") {
		t.Errorf("while one uses it: %q", text())
	}
	h.GiveBack("db.example")
	h.GiveBack("other.example")
	if own, _ := os.ReadFile(hostsFile); text() != string(own) {
		t.Errorf("afterwards: %q", text())
	}
}
