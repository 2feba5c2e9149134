package places

import "testing"

// TestNamesOfWindows: both forms of a path are one place, and a name that Windows reads as another one is not an ordinary file.
func TestNamesOfWindows(t *testing.T) {
	defer func(before bool) { onWindows = before }(onWindows)
	onWindows = true
	c := Context{Workspaces: []string{`C:\work`}, Home: `C:\Users\ada`, Temp: []string{`C:\Temp`}, Settings: []string{`C:\Users\ada\.rein`}}
	for name, want := range map[string]Class{
		"a.txt": Workspace, `C:\work\a.txt`: Workspace, "c:/work/sub/../a.txt": Workspace, `sub\a.txt`: Workspace, `\\?\C:\work\a.txt`: Workspace,
		`..\other\a.txt`: Outside, `D:\work\a.txt`: Outside, `\\host\share\a.txt`: Outside, `\work\a.txt`: Outside,
		`.git\hooks\pre-commit`: Protected, `.GIT\config`: Protected, ".env": Private, `C:\Users\ada\.ssh\id_ed25519`: Secret,
		`C:\Users\ada\.rein\config`: Settings, `C:\Temp\x`: Temp,
		`GIT~1\config`: Secret, ".git.": Secret, ".git ": Secret, "a.txt:stream": Secret, "C:a.txt": Secret,
	} {
		if got := Classify(name, c); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := Native(c.Abs("a/b.txt")); got != "C:/work/a/b.txt" && got != `C:\work\a\b.txt` {
		t.Error(got)
	}
	if !IsRoot(`C:\Users\ada`, c) || !IsRoot(`C:\`, c) || !IsRoot(`C:\work`, c) {
		t.Error("a root is not one")
	}
}
