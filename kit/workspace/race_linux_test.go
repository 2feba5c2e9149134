package workspace

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// swaps is how many operations TestSwappedDirectory tries: go test ./workspace -run TestSwapped -swaps 200000
var swaps = flag.Int("swaps", 6000, "operations of TestSwappedDirectory")

const swapVariable = "REIN_TEST_SWAP"

// TestSwapper is the attacker, started by TestSwappedDirectory as a process of its own: it exchanges a directory and
// a link until its input is closed.
func TestSwapper(t *testing.T) {
	pair := filepath.SplitList(os.Getenv(swapVariable))
	if len(pair) != 2 {
		return // not started as the attacker
	}
	done := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		close(done)
	}()
	fmt.Println("swapping")
	for n := 0; ; n++ {
		if err := unix.Renameat2(unix.AT_FDCWD, pair[0], unix.AT_FDCWD, pair[1], unix.RENAME_EXCHANGE); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
			fmt.Println("swapped", n)
			return
		default:
		}
	}
}

// TestSwappedDirectory reads, writes, renames, makes, deletes and walks through a directory that another process
// keeps exchanging with a link to the outside. Nothing may ever be read or changed there.
func TestSwappedDirectory(t *testing.T) {
	r := newRace(t)
	ops := append(append(r.reads(), r.changes()...), r.removes()...)
	r.run(*swaps, append(ops, r.readAll))
}

// race is a workspace with a directory p/d that is exchanged with a link.
type race struct{ *fixture }

func newRace(t *testing.T) race {
	t.Helper()
	f := newFixture(t)
	f.put("p/d/secret", "inside")
	f.put("p/d/sub/deep", "inside")
	f.link(f.outside, "p/link")
	f.must(os.MkdirAll(filepath.Join(f.outside, "sub", "tree"), 0o755))
	f.must(os.WriteFile(filepath.Join(f.outside, "sub/deep"), []byte(canary), 0o644))
	f.must(os.WriteFile(filepath.Join(f.outside, "sub/tree/leaf"), []byte(canary), 0o644))
	return race{f}
}

// op does something and returns what it showed. i is a number of its own.
type op = func(i int) (string, error)

func (f race) reads() []op {
	return []op{
		func(int) (string, error) { b, err := f.ReadFile("p/d/secret"); return string(b), err },
		func(int) (string, error) { b, err := f.ReadFile("p/d/sub/deep"); return string(b), err },
		func(int) (string, error) { return f.Resolve("p/d/secret") },
	}
}

func (f race) changes() []op {
	return []op{
		func(i int) (string, error) { return "", f.WriteFile(fmt.Sprintf("p/d/new%d", i%16), []byte("mine")) },
		func(i int) (string, error) { return "", f.WriteFile("p/d/secret", []byte("inside")) },
		func(i int) (string, error) {
			return "", f.Rename(fmt.Sprintf("p/d/new%d", (i-2)%16), fmt.Sprintf("p/d/sub/moved%d", i%8))
		},
		func(i int) (string, error) { return "", f.WriteFile("p/d/x/y/z", nil) },
	}
}

func (f race) removes() []op {
	return []op{
		func(int) (string, error) { return "", f.RemoveAll("p/d/x") },
		func(int) (string, error) { return "", f.Remove("p/d/sub/moved0") },
	}
}

// run tries n operations in turn while the directory is exchanged.
func (f race) run(n int, ops []op) {
	t := f.t
	t.Helper()
	before := treeOf(t, f.outside)
	stop := startSwapper(t, filepath.Join(f.dir, "p/d"), filepath.Join(f.dir, "p/link"))
	good, refused := 0, 0
	for i := range n {
		shown, err := ops[i%len(ops)](i)
		if strings.Contains(shown, "CANARY") {
			t.Fatalf("operation %d read the outside", i)
		}
		if err == nil {
			good++
		} else {
			refused++
		}
	}
	swapped := stop()
	t.Logf("%d operations done, %d refused, against %s", good, refused, swapped)
	if good == 0 || refused == 0 {
		t.Error("the attack did not hit both states; it shows nothing")
	}
	if after := treeOf(t, f.outside); after != before {
		t.Errorf("the outside was changed:\n%s\nbefore:\n%s", after, before)
	}
}

// path-07, path-08 and path-09: reads, changes and removals by themselves.
func TestAttacksByRace(t *testing.T) {
	for name, ops := range map[string]func(race) []op{
		"path-07 reads against a swap":   race.reads,
		"path-08 changes against a swap": race.changes,
		"path-09 removals against a swap": func(f race) []op {
			return []op{
				func(int) (string, error) { return "", f.WriteFile("p/d/sub/tree/leaf", nil) },
				func(int) (string, error) { return "", f.RemoveAll("p/d/sub") },
				func(int) (string, error) { return "", f.RemoveAll("p/d/sub/tree") },
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRace(t)
			r.run(*swaps/6, ops(r))
		})
	}
}

// readAll walks and reads in bulk.
func (f race) readAll(i int) (string, error) {
	f.trees[0].slow = i%20 > 9 // with openat2 and without
	l, err := f.Walk(context.Background(), "p", WalkOptions{})
	if err != nil {
		return "", err
	}
	var all strings.Builder
	buf := make([]byte, 100)
	for _, e := range l.Entries {
		n, _, _ := l.Read(e, buf)
		all.Write(buf[:n])
	}
	return all.String(), nil
}

func startSwapper(t *testing.T, a, b string) (stop func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSwapper$")
	cmd.Env = append(os.Environ(), swapVariable+"="+a+string(filepath.ListSeparator)+b)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewScanner(pipe)
	out.Scan()
	if out.Text() != "swapping" {
		t.Fatalf("the attacker printed %q", out.Text())
	}
	return func() string {
		in.Close()
		out.Scan()
		printed := out.Text()
		for out.Scan() {
		}
		_ = cmd.Wait()
		return printed
	}
}

// treeOf describes all files below a directory.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&all, path, err)
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
