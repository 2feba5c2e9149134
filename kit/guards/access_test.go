package guards

import (
	"testing"

	"rein/guard"
	"rein/tool"
)

func TestAccessRequestAsksOrIsDeniedInEveryMode(t *testing.T) {
	here := home.Here
	here.Settings = append(here.Settings, "/srv/rein/state")
	all := guard.All{Guards: []guard.Guard{Paths{Here: here}, Hosts{Known: func(_, h string) bool { return h == "known.example.com" }}, Unknown{}, AccessRequests{Here: here}}}
	read := func(p string) tool.Intent { return tool.Intent{RequestsAccess: true, Reads: []string{p}} }
	write := func(p string) tool.Intent { return tool.Intent{RequestsAccess: true, Writes: []string{p}} }
	host := func(h string) tool.Intent { return tool.Intent{RequestsAccess: true, Hosts: []string{h}} }
	rows := []struct {
		rule   string
		intent tool.Intent
		want   guard.Decision
	}{
		{"a directory of the user's to write", write("/home/dev/other"), guard.Ask},
		{"a directory of the user's to read", read("/home/dev/other"), guard.Ask},
		{"what every program may read anyway", read("/usr/share/doc"), guard.Ask},
		{"tools to write", write("/home/dev/go/pkg/mod"), guard.Ask},
		{"a protected file of the workspace", write(".git/config"), guard.Ask},
		{"a private file of the workspace", read(".env"), guard.Ask},
		{"a host", host("example.com"), guard.Ask},
		{"a host that is known already", host("known.example.com"), guard.Ask},
		{"a server of this machine", host("localhost:8080"), guard.Ask},

		{"everything", read("/"), guard.Deny},
		{"the home directory", read("/home/dev"), guard.Deny},
		{"all homes", read("/home"), guard.Deny},
		{"above the workspace", write("/home/dev/project/.."), guard.Deny},
		{"the machine to write", write("/etc"), guard.Deny},
		{"a part of it", write("/usr/local/bin"), guard.Deny},
		{"keys", read("/home/dev/.ssh"), guard.Deny},
		{"one key", read("/home/dev/.ssh/id_rsa"), guard.Deny},
		{"shadow", read("/etc/shadow"), guard.Deny},
		{"a directory that contains keys, to write", write("/home/dev/.config"), guard.Deny},
		{"the harness's settings to read", read("/home/dev/.config/rein"), guard.Deny},
		{"the harness's settings to write", write("/home/dev/.config/rein/projects"), guard.Deny},
		{"above the harness's state", read("/srv/rein"), guard.Deny},
		{"inside the harness's state", write("/srv/rein/state/x"), guard.Deny},
		{"the workspace's own settings", write(".rein"), guard.Deny},
		{"a daemon's socket", read("/var/run/docker.sock"), guard.Deny},
		{"a disk", read("/dev/sda"), guard.Deny},
		{"another process", read("/proc/1/environ"), guard.Deny},
		{"metadata by address", host("169.254.169.254"), guard.Deny},
		{"metadata by name", host("metadata.google.internal:80"), guard.Deny},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			for _, m := range []guard.Mode{guard.Supervised, guard.Full} {
				for _, w := range []guard.Isolation{guard.NoIsolation, guard.FileIsolation, guard.FullIsolation} {
					c := call("request_access", row.intent)
					c.Mode, c.Isolation, c.Effect = m, w, tool.Reads|tool.Writes|tool.Reaches
					v := all.Judge(t.Context(), c)
					if v.Decision != row.want || v.Severity < guard.High {
						t.Errorf("in %v with isolation %v: %v (%v): %s", m, w, v.Decision, v.Severity, v.Reason)
					}
				}
			}
			for _, m := range []guard.Mode{guard.ReadOnly, guard.Plan} {
				c := call("request_access", row.intent)
				c.Mode = m
				if v := all.Judge(t.Context(), c); v.Decision != guard.Deny {
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
		want        guard.Decision
	}{
		{"opened to write", other, nil, tool.Intent{Writes: []string{"/home/dev/other/x/y"}}, guard.Allow},
		{"opened to write is read", other, nil, tool.Intent{Reads: []string{"/home/dev/other/x"}}, guard.Allow},
		{"beside it", other, nil, tool.Intent{Writes: []string{"/home/dev/others/x"}}, guard.Ask},
		{"opened to read", nil, other, tool.Intent{Reads: []string{"/home/dev/other/x"}}, guard.Allow},
		{"is not written", nil, other, tool.Intent{Writes: []string{"/home/dev/other/x"}}, guard.Ask},
		{"hooks in it ask", other, nil, tool.Intent{Writes: []string{"/home/dev/other/.git/hooks/x"}}, guard.Ask},
		{"what may hold credentials asks", nil, other, tool.Intent{Reads: []string{"/home/dev/other/a.pem"}}, guard.Deny},
		{"keys are never read", nil, []string{"/home/dev/.config"}, tool.Intent{Reads: []string{"/home/dev/.config/gh/hosts.yml"}}, guard.Deny},
		{"settings are never written", []string{"/home/dev/.config"}, nil, tool.Intent{Writes: []string{"/home/dev/.config/rein/settings.json"}}, guard.Deny},
	}
	for _, row := range rows {
		if v := g(row.write, row.read).Judge(t.Context(), call("tool", row.intent)); v.Decision != row.want {
			t.Errorf("%s: %v %s", row.rule, v.Decision, v.Reason)
		}
	}
}
