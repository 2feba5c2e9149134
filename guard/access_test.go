package guard

import (
	"testing"

	"rein/tool"
)

func TestAccessRequestAsksOrIsDeniedInEveryMode(t *testing.T) {
	here := home.Here
	here.Settings = append(here.Settings, "/srv/rein/state")
	all := All{Guards: []Guard{Paths{Here: here}, Hosts{Known: func(h string) bool { return h == "known.example.com" }}, Unknown{}, AccessRequests{Here: here}}}
	read := func(p string) tool.Intent { return tool.Intent{RequestsAccess: true, Reads: []string{p}} }
	write := func(p string) tool.Intent { return tool.Intent{RequestsAccess: true, Writes: []string{p}} }
	host := func(h string) tool.Intent { return tool.Intent{RequestsAccess: true, Hosts: []string{h}} }
	rows := []struct {
		rule   string
		intent tool.Intent
		want   Decision
	}{
		{"a directory of the user's to write", write("/home/dev/other"), Ask},
		{"a directory of the user's to read", read("/home/dev/other"), Ask},
		{"what every program may read anyway", read("/usr/share/doc"), Ask},
		{"tools to write", write("/home/dev/go/pkg/mod"), Ask},
		{"a protected file of the workspace", write(".git/config"), Ask},
		{"a private file of the workspace", read(".env"), Ask},
		{"a host", host("example.com"), Ask},
		{"a host that is known already", host("known.example.com"), Ask},
		{"a server of this machine", host("localhost:8080"), Ask},

		{"everything", read("/"), Deny},
		{"the home directory", read("/home/dev"), Deny},
		{"all homes", read("/home"), Deny},
		{"above the workspace", write("/home/dev/project/.."), Deny},
		{"the machine to write", write("/etc"), Deny},
		{"a part of it", write("/usr/local/bin"), Deny},
		{"keys", read("/home/dev/.ssh"), Deny},
		{"one key", read("/home/dev/.ssh/id_rsa"), Deny},
		{"shadow", read("/etc/shadow"), Deny},
		{"a directory that contains keys, to write", write("/home/dev/.config"), Deny},
		{"the harness's settings to read", read("/home/dev/.config/rein"), Deny},
		{"the harness's settings to write", write("/home/dev/.config/rein/projects"), Deny},
		{"above the harness's state", read("/srv/rein"), Deny},
		{"inside the harness's state", write("/srv/rein/state/x"), Deny},
		{"the workspace's own settings", write(".rein"), Deny},
		{"a daemon's socket", read("/var/run/docker.sock"), Deny},
		{"a disk", read("/dev/sda"), Deny},
		{"another process", read("/proc/1/environ"), Deny},
		{"metadata by address", host("169.254.169.254"), Deny},
		{"metadata by name", host("metadata.google.internal:80"), Deny},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			for _, m := range []Mode{Supervised, Full} {
				for _, w := range []Isolation{NoIsolation, FileIsolation, FullIsolation} {
					c := call("request_access", row.intent)
					c.Mode, c.Isolation, c.Effect = m, w, tool.Reads|tool.Writes|tool.Reaches
					v := all.Judge(t.Context(), c)
					if v.Decision != row.want || v.Severity < High {
						t.Errorf("in %v with isolation %v: %v (%v): %s", m, w, v.Decision, v.Severity, v.Reason)
					}
				}
			}
			for _, m := range []Mode{ReadOnly, Plan} {
				c := call("request_access", row.intent)
				c.Mode = m
				if v := all.Judge(t.Context(), c); v.Decision != Deny {
					t.Errorf("in %v: %v", m, v.Decision)
				}
			}
		})
	}
}

func TestWhatWasOpenedIsTheWorks(t *testing.T) {
	here := home.Here
	g := func(write, read []string) Paths {
		h := here
		h.Opened = func() ([]string, []string) { return write, read }
		return Paths{Here: h}
	}
	other := []string{"/home/dev/other"}
	rows := []struct {
		rule        string
		write, read []string
		intent      tool.Intent
		want        Decision
	}{
		{"opened to write", other, nil, tool.Intent{Writes: []string{"/home/dev/other/x/y"}}, Allow},
		{"opened to write is read", other, nil, tool.Intent{Reads: []string{"/home/dev/other/x"}}, Allow},
		{"beside it", other, nil, tool.Intent{Writes: []string{"/home/dev/others/x"}}, Ask},
		{"opened to read", nil, other, tool.Intent{Reads: []string{"/home/dev/other/x"}}, Allow},
		{"is not written", nil, other, tool.Intent{Writes: []string{"/home/dev/other/x"}}, Ask},
		{"hooks in it ask", other, nil, tool.Intent{Writes: []string{"/home/dev/other/.git/hooks/x"}}, Ask},
		{"what may hold credentials asks", nil, other, tool.Intent{Reads: []string{"/home/dev/other/a.pem"}}, Deny},
		{"keys are never read", nil, []string{"/home/dev/.config"}, tool.Intent{Reads: []string{"/home/dev/.config/gh/hosts.yml"}}, Deny},
		{"settings are never written", []string{"/home/dev/.config"}, nil, tool.Intent{Writes: []string{"/home/dev/.config/rein/settings.json"}}, Deny},
	}
	for _, row := range rows {
		if v := g(row.write, row.read).Judge(t.Context(), call("tool", row.intent)); v.Decision != row.want {
			t.Errorf("%s: %v %s", row.rule, v.Decision, v.Reason)
		}
	}
}
