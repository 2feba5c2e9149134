package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const canary = "canary-b41d-of-home"

// keptInHome are files of a home directory that hold credentials, or belong to other projects. No list of secrets that we
// had before named them all.
var keptInHome = []string{
	".nuget/NuGet/NuGet.Config", ".stack/config.yaml", ".hex/hex.config", ".cabal/config", ".local/share/uv/credentials/credentials.toml",
	".config/uv/uv.toml", ".pub-cache/credentials.json", ".config/dart/pub-credentials.json", ".julia/servers/pkg/auth.toml", ".dotnet/corefx/cryptography/x509stores/my/a.pfx",
	".gradle/init.d/repo.gradle", ".gradle/init.gradle", ".gradle/gradle.properties", ".conda/.condarc", ".condarc", ".cargo/config.toml", ".cargo/credentials.toml",
	".local/share/keyrings/login.keyring", ".local/share/unknown-keyring/x", ".local/bin/../share/other", "go/src/other/.env", "go/src/other/id_rsa", "proj/.env", "proj/src/secret.go",
	"proj/etc/key.pem", "proj/share/x", ".m2/settings.xml", ".opam/repo/repos-config", ".nvm/.npmrc", ".pyenv-secret", ".rvm/user/token", ".sdkman/etc/token", ".gem/credentials",
	".bun/credentials", ".deno/credentials", ".volta/token", ".composer/auth.json", ".mix/token", ".asdf/token", ".ivy2/.credentials", ".ssh/id_ed25519", ".unknown/token", "notes.txt",
}

func TestAttacksOnCredentialsInHome(t *testing.T) {
	for _, backend := range backends() {
		if backend == BackendNone {
			continue
		}
		t.Run(backend.String(), func(t *testing.T) {
			home := homeForTests(t)
			for _, name := range keptInHome {
				writeFile(t, filepath.Join(home, name), canary+" "+name)
			}
			git := "[user]\n\tname = Me\n[url \"https://me:" + canary + "@host/\"]\n\tinsteadOf = https://host/\n"
			for name, text := range map[string]string{
				".gitconfig": git, "go/bin/tool": "#!/bin/sh\necho tool\n", ".local/bin/mine": "#!/bin/sh\necho mine\n", "proj/bin/run": "#!/bin/sh\ncat \"$(dirname \"$0\")/../lib/part\"\n",
				"proj/lib/part": "part\n", "go/pkg/mod/m/m.go": "package m\n", ".cargo/registry/src/a/lib.rs": "lib\n", ".rustup/toolchains/t/x": "x\n", ".m2/repository/r": "r\n",
			} {
				writeFile(t, filepath.Join(home, name), text)
			}
			for _, program := range []string{"go/bin/tool", ".local/bin/mine", "proj/bin/run"} {
				if err := os.Chmod(filepath.Join(home, program), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			path := strings.Join([]string{home + "/go/bin", home + "/.local/bin", home + "/proj/bin", os.Getenv("PATH")}, ":")
			box := onBackend(t, Policy{Home: home, Parent: []string{"PATH=" + path, "HOME=" + home}}, backend)
			if out, _ := try(t, box, "grep -rs "+canary+" "+home+"; for f in "+strings.Join(keptInHome, " ")+"; do cat "+home+"/$f 2>/dev/null; done"); out != "" {
				t.Errorf("programs read\n%s", out)
			}
			if strings.HasPrefix(home, "/tmp/") {
				return // as another user the test has no other place, and nothing of the host's /tmp is shown
			}
			if out, _ := try(t, box, "tool; mine; run; cd "+home+"; cat go/pkg/mod/m/m.go .cargo/registry/src/a/lib.rs .rustup/toolchains/t/x .m2/repository/r; cd /; git config user.name"); out != "tool\nmine\npart\npackage m\nlib\nx\nr\nMe\n" {
				t.Errorf("tools and settings: %q", out)
			}
			writeFile(t, filepath.Join(home, ".gitconfig"), git+"[http]\n\textraHeader = "+canary+"\n[user]\n\tname = You\n")
			if out, _ := try(t, box, "cd /; git config user.name; git config -l | grep "+canary); out != "You\n" {
				t.Errorf("settings that were changed: %q", out)
			}
		})
	}
}

// TestAttacksOnRootsFiles reads, as root, what an ordinary user of the machine may not read.
func TestAttacksOnRootsFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: the system keeps it closed")
	}
	var closed []string
	_ = filepath.WalkDir("/etc", func(path string, d fs.DirEntry, err error) error {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o004 == 0 && info.Size() > 0 {
			closed = append(closed, path)
		}
		return nil
	})
	if len(closed) == 0 {
		t.Skip("nothing of /etc is closed here")
	}
	for _, backend := range backends() {
		if backend == BackendNone {
			continue
		}
		t.Run(backend.String(), func(t *testing.T) {
			box := onBackend(t, Policy{}, backend)
			for _, path := range closed {
				if out, result := try(t, box, "cat "+path+" 2>/dev/null"); out != "" || result.Code == 0 {
					t.Errorf("%s can be read", path)
				}
			}
			if out, _ := try(t, box, "cat /etc/passwd | head -c 5; ls /etc >/dev/null && echo listed"); out != "root:listed\n" {
				t.Errorf("what everybody may read: %q", out)
			}
		})
	}
}
