package guards

import (
	"testing"

	"rein/guard"
	"rein/tool"
)

// TestRulesAreAboutEffects is approval-21 of docs/maintainers/attacks.md: an allow rule covers a call by what the call does, not by how
// it is spelled.
func TestRulesAreAboutEffects(t *testing.T) {
	edit := func(p string) guard.Case { return call("edit_file", tool.Intent{Writes: []string{p}}) }
	for _, row := range []struct {
		name, allow string
		c           guard.Case
		want        guard.Decision
	}{
		{"a star stays below its directory", "bash(rm build/*)", bash("rm build/../src/b"), guard.Ask},
		{"however the path goes up", "bash(rm build/*)", bash("rm build/x/../../src/b"), guard.Ask},
		{"and out of the workspace", "bash(rm build/*)", bash("rm build/../../other/b"), guard.Ask},
		{"with a directory of the same name", "bash(rm build/*)", bash("rm build/../src/build/b"), guard.Ask},
		{"a path that comes back is covered", "bash(rm build/*)", bash("rm build/x/../y"), guard.Allow},
		{"what it says is covered", "bash(rm build/*)", bash("rm build/b"), guard.Allow},
		{"in another directory it is another file", "bash(rm -rf build)", bash("cd src && rm -rf build"), guard.Ask},
		{"in a group", "bash(rm -rf build)", bash("(cd src; rm -rf build)"), guard.Ask},
		{"back in the same directory", "bash(rm -rf build)", bash("cd src && cd .. && rm -rf build"), guard.Allow},
		{"beside what needs no approval", "bash(rm -rf build)", bash("go build ./... && rm -rf build"), guard.Allow},
		{"a star for a name", "bash(rm *.log)", bash("cd src && rm a.log"), guard.Ask},
		{"an open rule says nothing about places", "bash(npm install:*)", bash("cd web && npm install x"), guard.Allow},
		{"a call that starts elsewhere", "bash(rm -rf build)", func() guard.Case {
			c := bash("rm -rf build")
			c.Intent.Cwd = "src"
			return c
		}(), guard.Ask},
		{"a link that leads elsewhere", "bash(rm build/*)", func() guard.Case {
			c := bash("rm build/link/x")
			c.Intent.Surroundings = &tool.Surroundings{Links: map[string]string{"/home/dev/project/build/link/x": "/home/dev/project/src/x"}}
			return c
		}(), guard.Ask},

		{"a link that the line makes", "bash(rm build/*)", bash("ln -s ../src build/l; rm build/l/x"), guard.Ask},
		{"of the directory itself", "bash(rm build/*)", bash("ln -s src build && rm build/x"), guard.Ask},
		{"into the directory", "bash(rm build/*)", bash("ln -s ../src/l build; rm build/l/x"), guard.Ask},
		{"met by a pattern", "bash(rm build/*)", bash("ln -s ../src build/l; rm build/*/x"), guard.Ask},
		{"copied", "bash(rm build/*)", bash("cp -a links/l build/; rm build/l/x"), guard.Ask},
		{"moved", "bash(rm build/*)", bash("mv l build; rm build/l/x"), guard.Ask},
		{"of a name that is not known", "bash(rm build/*)", bash("ln -s ../src build/$(date); rm build/l/x"), guard.Ask},
		{"a file that the line makes", "bash(rm build/*)", bash("touch build/x; rm build/x"), guard.Allow},
		{"a file beside it", "bash(rm build/*)", bash("touch build/y; rm build/x/z"), guard.Allow},

		{"a rule's own path is cleaned", "edit_file(//home/dev/project/../other/**)", edit("/home/dev/other/a"), guard.Allow},
		{"and is about nothing else", "edit_file(//home/dev/project/../other/**)", edit("/home/dev/z/a"), guard.Ask},
		{"a file tool that goes up", "edit_file(//home/dev/other/build/*)", edit("/home/dev/other/build/../src"), guard.Ask},
	} {
		t.Run("approval-21 "+row.name, func(t *testing.T) {
			list := rules(t, User, `{"allow":[{"rule":`+quoteJSON(row.allow)+`,"risk":"high"}]}`)
			if got := outcome(t, list, row.c); got != row.want {
				t.Errorf("%s with %v %v: %v", row.allow, row.c.Intent.Command, row.c.Intent.Writes, got)
			}
		})
	}
	for _, row := range []struct {
		name, deny string
		c          guard.Case
	}{
		{"a rule's path with a detour", "edit_file(./a/../gen/**)", edit("gen/x")},
		{"a link to what is denied", "edit_file(gen/**)", func() guard.Case {
			c := bash("echo x > link/a")
			c.Intent.Surroundings = &tool.Surroundings{Links: map[string]string{"/home/dev/project/link/a": "/home/dev/project/gen/a"}}
			return c
		}()},
	} {
		t.Run("approval-21 denied: "+row.name, func(t *testing.T) {
			if got := outcome(t, rules(t, User, `{"deny":[`+quoteJSON(row.deny)+`]}`), row.c); got != guard.Deny {
				t.Errorf("%s with %v %v: %v", row.deny, row.c.Intent.Command, row.c.Intent.Writes, got)
			}
		})
	}
}

// A rule for builds covers the build, and not what it writes outside the workspace, or takes into it.
func TestARuleOfABuildCoversNoOutputsAndSecrets(t *testing.T) {
	list := rules(t, User, `{"allow":["bash(docker build:*)"]}`)
	for command, covered := range map[string]bool{
		"docker build .": true, "docker build -t app -f Dockerfile.dev --build-arg A=b .": true,
		"docker build -o /etc .": false, "docker build -qo ~/x .": false, "docker build --output type=local,dest=/opt/x .": false, "docker build --metadata-file=~/.bashrc .": false,
		"docker build --cache-to type=local,dest=/x .": false, "docker build --secret id=x,src=.env .": false, "docker build --secret=id=x,env=T .": false,
		"docker build --ssh default .": false, "docker build --allow security.insecure .": false,
	} {
		if got := outcome(t, list, bash(command)); (got == guard.Allow) != covered {
			t.Errorf("approval-21 %s: %v", command, got)
		}
	}
}
