package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rein/kit/sandbox/internal/box"
)

// homeWorkspace makes a home directory that is a workspace, with rein's own directories in it or yet to come.
func homeWorkspace(t *testing.T) (home string, own []string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range map[string]string{
		".bashrc": "# mine\n", ".config/app/settings": "x\n", ".config/rein/settings.json": "{}\n", "project/a": "a\n", "notes": "n\n", ".vscode/argv.json": "{}\n", ".oh-my-zsh/custom/a": "a\n",
		".config/i3/a": "a\n", ".cargo/bin/a": "a\n", ".cargo/registry/a": "a\n", ".cache/a": "a\n",
	} {
		writeFile(t, filepath.Join(home, name), text)
	}
	return home, []string{filepath.Join(home, ".config/rein"), filepath.Join(home, ".local/share/rein"), filepath.Join(home, ".local/state/rein")}
}

// The attacks on rein's own state and on what runs at the user's next login, where home is the workspace. Each prints
// "worked" when it could do what it wants.
var ownStateAttacks = map[string]string{
	"read the settings":            `cat .config/rein/settings.json`,
	"write the settings":           `echo '{"sandbox":"off"}' > .config/rein/settings.json`,
	"replace the settings":         `echo x > new && mv -f new .config/rein/settings.json`,
	"remove the settings":          `rm -rf .config/rein && test ! -e .config/rein/settings.json`,
	"move the directory away":      `mv .config/rein .config/old`,
	"move its parent away":         `mv .config .old && mkdir -p .config/rein && echo x > .config/rein/settings.json`,
	"replace its parent by a link": `mv .config .old && ln -s .old .config`,
	"make a directory to come":     `mkdir -p .local/share/rein/sessions && echo x > .local/share/rein/sessions/x`,
	"move a parent to come away":   `mv .local .l && mkdir -p .local/state/rein && echo x > .local/state/rein/x`,
	"link to the settings":         `ln .config/rein/settings.json link && cat link`,
	"write a start file":           `echo x >> .bashrc`,
	"replace a start file":         `echo x > new2 && mv -f new2 .bashrc`,
	"remove a start file":          `rm -f .bashrc && test ! -e .bashrc`,
	"make a start file":            `echo x > .bash_profile`,
	"make another start file":      `ln -s notes .zshenv`,
	"start with the desktop":       `mkdir -p .config/autostart && echo x > .config/autostart/x.desktop`,
	"start with the session":       `mkdir -p .config/systemd/user && echo x > .config/systemd/user/x.service`,
	"start with the shell":         `mkdir -p .config/fish && echo x > .config/fish/config.fish`,
	"a key to log in with":         `mkdir -p .ssh && echo x > .ssh/authorized_keys`,
	"a program of the PATH":        `mkdir -p .local/bin && echo x > .local/bin/git`,
	"settings of an editor":        `echo x > .vscode/settings.json`,
	"a plug-in of a shell":         `echo x > .oh-my-zsh/custom/x.zsh`,
	"settings of a desktop":        `echo x > .config/i3/config`,
	"settings of a terminal":       `mkdir -p .config/kitty && echo x > .config/kitty/kitty.conf`,
	"a module of Python":           `mkdir -p .local/lib/python3/site-packages && echo x > .local/lib/python3/site-packages/x.pth`,
	"a program of a toolchain":     `echo x > .cargo/bin/cargo`,
	"home itself moved away":       `cd .. && mv "$OLDPWD" elsewhere && mkdir "$OLDPWD" && echo x > "$OLDPWD/.bash_profile"`,
}

func TestAttacksOnOwnStateInTheWorkspace(t *testing.T) {
	t.Parallel()
	for _, backend := range backends() {
		if backend == BackendNone {
			continue // it isolates nothing: start-up warns
		}
		t.Run(backend.String(), func(t *testing.T) {
			for name, script := range ownStateAttacks {
				home, own := homeWorkspace(t)
				box := onBackend(t, Policy{Workspace: home, Home: home, Hidden: own}, backend)
				if out, _ := try(t, box, "("+script+") >/dev/null 2>&1 && echo worked"); strings.Contains(out, "worked") {
					t.Errorf("%s: it worked", name)
				}
				settings, err := os.ReadFile(filepath.Join(home, ".config/rein/settings.json"))
				rc, err2 := os.ReadFile(filepath.Join(home, ".bashrc"))
				if errors.Join(err, err2) != nil || string(settings) != "{}\n" || string(rc) != "# mine\n" {
					t.Errorf("%s: settings %q, start file %q, %v %v", name, settings, rc, err, err2)
				}
				for _, made := range []string{".bash_profile", ".zshenv", ".ssh/authorized_keys", ".config/autostart", ".config/systemd", ".config/fish", ".local/share/rein/sessions", ".local/state/rein/x"} {
					if _, err := os.Lstat(filepath.Join(home, made)); err == nil {
						t.Errorf("%s: %s was made", name, made)
					}
				}
			}
			home, own := homeWorkspace(t)
			box := onBackend(t, Policy{Workspace: home, Home: home, Hidden: own}, backend)
			if out, _ := try(t, box, "echo b > project/b && echo m >> notes && mkdir project/d && mv project/b project/d/ && echo y > .config/app/settings && echo x > .cargo/registry/b && echo x > .cache/b && cat project/d/b notes"); out != "b\nn\nm\n" {
				t.Errorf("work in the home directory: %q", out)
			}
		})
	}
}

// A directory of ours that is reached through a link cannot be protected: the link can be replaced.
func TestOwnStateBehindALinkIsRefused(t *testing.T) {
	home, real := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(real, "rein"), 0o700), os.Symlink(real, filepath.Join(home, ".config"))); err != nil {
		t.Fatal(err)
	}
	b := testBox(t, Policy{Workspace: home, Home: home, Hidden: []string{filepath.Join(home, ".config/rein")}, Only: "namespaces"})
	if err := b.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be protected") {
		t.Errorf("got %v", err)
	}
}

// That the sandbox hides a program is said only of one that is there.
func TestWhatIsNowhereIsNotSaidToBeHidden(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "tool"), "x")
	for name, hidden := range map[string]bool{"tool": true, "nothing": false} {
		err := failure(&box.Program{}, box.Report{Index: -1, Errno: int32(syscall.ENOENT)}, box.Order{Path: filepath.Join(dir, name), Dir: dir})
		if strings.Contains(err.Error(), "may hide") != hidden {
			t.Errorf("%s: %v", name, err)
		}
	}
}
