package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sleeper starts a process for trying a group.
func sleeper() (int, func() error, error) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, func() error {
		err := cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}, nil
}

// needCgroups skips where no control group can be written, which is so for most users and in most containers.
func needCgroups(t *testing.T) []*tree {
	t.Helper()
	s := newSessionCgroups(sleeper)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if how, ok := s.How(); !ok {
		t.Skip("the memory of a command is limited " + how)
	}
	return s.trees
}

func TestGroupsOfDeadSessionsAreSwept(t *testing.T) {
	for _, tree := range needCgroups(t) {
		dead, alive := filepath.Join(tree.dir, groupPrefix+"dead"), filepath.Join(tree.dir, groupPrefix+"alive")
		for _, dir := range []string{dead, filepath.Join(dead, "run-1"), alive} {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		lock, err := lockGroup(alive)
		if err != nil {
			t.Fatal(err)
		}
		g := newSessionCgroups(sleeper)
		g.Find()
		if _, err := os.Stat(dead); err == nil {
			t.Errorf("%s is still there", dead)
		}
		if _, err := os.Stat(alive); err != nil {
			t.Error("a living session's was removed")
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		lock.Close()
		if err := removeGroup(alive); err != nil {
			t.Error(err)
		}
	}
}

func TestDirectoriesOfAProcess(t *testing.T) {
	const modern = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	const hybrid = "33 32 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n36 32 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n37 32 0:34 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	const container = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n"
	v2 := func(dir string) cgroupDir { return cgroupDir{dir: dir, memory: true, pids: true} }
	for name, row := range map[string]struct {
		own, mounts string
		want        []cgroupDir
	}{
		"a user's scope":          {"0::/user.slice/user-1.slice/user@1.service/app.slice/x.scope\n", modern, []cgroupDir{v2("/sys/fs/cgroup/user.slice/user-1.slice/user@1.service/app.slice/x.scope"), v2("/sys/fs/cgroup/user.slice/user-1.slice/user@1.service/app.slice")}},
		"the root":                {"0::/\n", modern, []cgroupDir{v2("/sys/fs/cgroup")}},
		"a container's root":      {"0::/docker/abc\n", container, []cgroupDir{v2("/sys/fs/cgroup")}},
		"below a container's":     {"0::/docker/abc/x\n", container, []cgroupDir{v2("/sys/fs/cgroup/x"), v2("/sys/fs/cgroup")}},
		"another namespace's":     {"0::/../other\n", container, nil},
		"both versions":           {"8:pids:/\n4:memory:/a/b\n3:cpu,cpuacct:/\n0::/\n", hybrid, []cgroupDir{{dir: "/sys/fs/cgroup/pids", old: true, pids: true}, {dir: "/sys/fs/cgroup/memory/a/b", old: true, memory: true}, v2("/sys/fs/cgroup/unified")}},
		"not mounted":             {"4:memory:/a\n0::/\n", "21 1 8:1 / / rw - ext4 /dev/sda rw\n", nil},
		"nothing":                 {"", "", nil},
		"lines of another format": {"x\n:\n", "y - z\n - \n", nil},
	} {
		if got := cgroupDirs(row.own, row.mounts); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, row.want)
		}
	}
}

// TestWhatIsWrittenToGroupsOfVersion2 holds the protocol of files against a directory that plays the kernel: version 2
// with a counter of memory is not on every machine that tests.
func TestWhatIsWrittenToGroupsOfVersion2(t *testing.T) {
	session := t.TempDir()
	files := map[string]string{"cgroup.controllers": "cpu io memory pids\n", "cgroup.subtree_control": ""}
	write := func(dir string, files map[string]string) {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(session, files)
	tr := &tree{cgroupDir: cgroupDir{dir: filepath.Dir(session), memory: true, pids: true}, session: session, rmdir: os.RemoveAll, mkdir: func(dir string) error {
		err := os.Mkdir(dir, 0o755)
		write(dir, map[string]string{"memory.max": "max\n", "memory.swap.max": "max\n", "memory.oom.group": "0\n", "pids.max": "max\n", "cgroup.procs": "", "cgroup.kill": "",
			"memory.events": "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\noom_group_kill 0\n", "pids.events": "max 0\n"})
		return err
	}}
	if err := tr.enable(); err != nil {
		t.Fatal(err)
	}
	text := func(dir, name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		return strings.TrimSpace(string(b))
	}
	if got := text(session, "cgroup.subtree_control"); got != "+memory +pids" {
		t.Errorf("enabled %q", got)
	}
	g := &sessionCgroups{trees: []*tree{tr}}
	made, err := g.Open(cgroupLimits{Memory: 300 << 20, Processes: 50})
	if err == nil {
		err = made.Admit(77)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := made.parts[0].group
	for name, want := range map[string]string{"memory.max": "314572800", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "62", "cgroup.procs": "77"} {
		if got := text(dir, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !made.holds(77) || made.holds(7) || made.Hit() != 0 {
		t.Errorf("holds 77 %v, 7 %v, hit %v", made.holds(77), made.holds(7), made.Hit())
	}
	write(dir, map[string]string{"pids.events": "max 4\n"})
	if made.Hit() != cgroupProcesses {
		t.Errorf("hit %v", made.Hit())
	}
	write(dir, map[string]string{"memory.events": "max 9\noom 1\noom_kill 2\n"})
	if made.Hit() != cgroupMemory {
		t.Errorf("hit %v", made.Hit())
	}
	made.Leave()
	g.left.Wait()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it is still there")
	}
	write(session, map[string]string{"cgroup.controllers": "cpuset\n"})
	if err := tr.enable(); err == nil {
		t.Error("a hierarchy that counts no memory was taken")
	}
}
