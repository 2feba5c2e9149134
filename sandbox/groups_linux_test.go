package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// needGroups skips where no control group can be written, which is so for most users and in most containers.
func needGroups(t *testing.T) []*tree {
	t.Helper()
	g := &groups{}
	t.Cleanup(func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	})
	if how, ok := g.how(); !ok {
		t.Skip("the memory of a command is bounded " + how)
	}
	return g.trees
}

// hoard is a script of n processes that hold 60 MB each at the same time, and are patient when one is killed.
func hoard(n string) string {
	return "for i in $(seq " + n + "); do (head -c 60000000 /dev/zero; sleep 0.3) | tail -n 1 | wc -c & done; wait; echo over"
}

func TestMemoryOfACommandIsLimitedAsAWhole(t *testing.T) {
	trees := needGroups(t)
	for name := range backends() {
		t.Run(name, func(t *testing.T) {
			box := testBox(t, Policy{Only: name, Limits: Limits{Memory: 200 << 20}, Warn: func(line string) { t.Errorf("told: %s", line) }})
			var both sync.WaitGroup
			both.Go(func() { // a neighbour of the same session has memory of its own
				if result, err := Run(t.Context(), box, shell(hoard("2")), io.Discard, time.Minute); err != nil || result.Limit != "" || result.Code != 0 {
					t.Errorf("two: got %+v, %v", result, err)
				}
			})
			result, err := Run(t.Context(), box, shell(hoard("8")), io.Discard, time.Minute)
			if err != nil || result.Limit != limitMemory {
				t.Errorf("eight: got %+v, %v", result, err)
			}
			both.Wait()
			if _, result := try(t, box, "echo fine"); result.Limit != "" || result.Code != 0 {
				t.Errorf("the next: got %+v", result)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, tree := range trees {
		left, _ := filepath.Glob(filepath.Join(tree.dir, groupPrefix+"*"))
		for _, dir := range left {
			lock, err := lockGroup(dir)
			if err != nil {
				continue // a session of ours or of another process has it
			}
			lock.Close()
			t.Errorf("left behind: %s", dir)
		}
	}
}

func TestProcessesThatAreAskedForAreCountedByTheKernel(t *testing.T) {
	for _, tree := range needGroups(t) {
		if !tree.pids {
			continue
		}
		for name := range backends() {
			t.Run(name, func(t *testing.T) {
				box := testBox(t, Policy{Only: name})
				spec := shell("for i in $(seq 60); do sleep 2 & done 2>/dev/null; exit 0")
				spec.Limits.Processes = 20
				// The shell of a fork that fails tries again for some seconds, and may end well.
				if result, err := Run(t.Context(), box, spec, io.Discard, 30*time.Second); err != nil || result.Limit != limitProcesses {
					t.Errorf("got %+v, %v", result, err)
				}
			})
		}
		return
	}
	t.Skip("no control group counts processes here")
}

func TestGroupsOfDeadSessionsAreSwept(t *testing.T) {
	for _, tree := range needGroups(t) {
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
		g := &groups{}
		g.find()
		if _, err := os.Stat(dead); err == nil {
			t.Errorf("%s is still there", dead)
		}
		if _, err := os.Stat(alive); err != nil {
			t.Error("a living session's was removed")
		}
		if err := g.close(); err != nil {
			t.Error(err)
		}
		lock.Close()
		if err := removeGroup(alive); err != nil {
			t.Error(err)
		}
	}
}

func TestSpotsOfAProcess(t *testing.T) {
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
	if err := tr.delegate(); err != nil {
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
		t.Errorf("delegated %q", got)
	}
	g := &groups{trees: []*tree{tr}}
	made, err := g.open(Limits{Memory: 300 << 20, Processes: 50})
	if err == nil {
		err = made.admit(77)
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
	if !made.holds(77) || made.holds(7) || made.hit() != "" {
		t.Errorf("holds 77 %v, 7 %v, hit %q", made.holds(77), made.holds(7), made.hit())
	}
	write(dir, map[string]string{"pids.events": "max 4\n"})
	if made.hit() != limitProcesses {
		t.Errorf("hit %q", made.hit())
	}
	write(dir, map[string]string{"memory.events": "max 9\noom 1\noom_kill 2\n"})
	if made.hit() != limitMemory {
		t.Errorf("hit %q", made.hit())
	}
	made.leave()
	g.left.Wait()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it is still there")
	}
	write(session, map[string]string{"cgroup.controllers": "cpuset\n"})
	if err := tr.delegate(); err == nil {
		t.Error("a hierarchy that counts no memory was taken")
	}
}

// TestMemoryFallsBackLoudly holds what is said, and done, where no group can be had.
func TestMemoryFallsBackLoudly(t *testing.T) {
	var told []string
	box := needBox(t, Policy{Limits: Limits{Memory: 100 << 20}, Warn: func(line string) { told = append(told, line) }})
	box.policy.groups.once.Do(func() { box.policy.groups.whys = []string{"mkdir: permission denied"} })
	for range 2 {
		spec := shell("head -c 400000000 /dev/zero | tail -n 1 | wc -c; exit ${PIPESTATUS[1]}")
		if result, err := Run(t.Context(), box, spec, io.Discard, time.Minute); err != nil || result.Limit != limitData {
			t.Errorf("got %+v, %v", result, err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "of each process alone") || !strings.Contains(told[0], "permission denied") {
		t.Errorf("told %q", told)
	}
}
