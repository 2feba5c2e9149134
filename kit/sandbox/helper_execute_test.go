//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestCallsUseMemoryAndEarlierResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	p := &callProgram{}
	fd := p.Do("create", syscall.SYS_OPENAT, -100, name, os.O_CREATE|os.O_RDWR, 0o600)
	text := p.Data([]byte("hello"))
	vector := p.Data(make([]byte, 16)) // struct iovec
	p.PokePtr(vector, text)
	p.Poke(vector+8, p.Do("count", syscall.SYS_WRITE, fd, text, 5))
	p.Do("write what the memory points to", syscall.SYS_WRITEV, fd, vector, 1)
	p.KeepFile(fd)
	decoded, _, ok := decode(p.Encode(startOrder{}))
	if !ok {
		t.Fatal("the program is not valid")
	}
	e, ok := execute(decoded, 1)
	if !ok || e.kept != int(e.results[0]) {
		t.Fatalf("got %v, kept %d", ok, e.kept)
	}
	_ = syscall.Close(e.kept)
	if got, _ := os.ReadFile(name); string(got) != "hellohello" {
		t.Errorf("got %q", got)
	}
}

func TestOnlyTheRightFailuresAreForgiven(t *testing.T) {
	for _, row := range []struct {
		rule  string
		flags uint8
		errno syscall.Errno
		want  bool
	}{
		{"a call must succeed", 0, syscall.ENOENT, false},
		{"any failure of an optional call", optional, syscall.EPERM, true},
		{"something that is not there", mayMiss, syscall.ENOENT, true},
		{"a file below a file", mayMiss, syscall.ENOTDIR, true},
		{"a file that an earlier call did not open", mayMiss, syscall.EBADF, true},
		{"a refusal is no absence", mayMiss, syscall.EPERM, false},
	} {
		if got := (&op{flags: row.flags}).forgives(row.errno); got != row.want {
			t.Errorf("%s: got %v", row.rule, got)
		}
	}
}
