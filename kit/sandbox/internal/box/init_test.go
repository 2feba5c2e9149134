//go:build linux && (amd64 || arm64)

package box

import (
	"bytes"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// process1ForTests returns a function that holds process 1 to it that it reads a message as decode did.
func process1ForTests(t testing.TB) func(t *testing.T, b []byte, want *Program, order Order, valid bool) {
	p, err := newInit(-1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.free)
	return func(t *testing.T, b []byte, want *Program, order Order, valid bool) {
		t.Helper()
		copy(p.message[4:], b)
		p.at, p.end, p.short = 4, 4+len(b), false
		p.message[p.end] = 0
		if got := p.decode(); got != valid {
			t.Fatalf("process 1 takes it: %v, the supervisor: %v", got, valid)
		}
		if !valid {
			return
		}
		for i := range want.ops {
			var o op
			if p.load(&o, i); o != want.ops[i] {
				t.Fatalf("call %d: got %+v, want %+v", i, o, want.ops[i])
			}
		}
		if p.calls != len(want.ops) || !bytes.Equal(p.message[p.memory:p.memory+p.size], want.memory[:p.size]) || p.terminal != order.Terminal || p.probe != order.Probe {
			t.Fatalf("another program was read: %d calls, terminal %v, probe %v", p.calls, p.terminal, p.probe)
		}
		for at, text := range map[int]string{p.path: order.Path, p.dir: order.Dir} {
			if got := textAt(p, p.place(at)); got != beforeNUL(text) {
				t.Fatalf("got %q, want %q", got, text)
			}
		}
		for first, list := range map[int][]string{p.argv: order.Argv, p.env: order.Env} {
			for i, text := range list {
				if got := textAt(p, p.words[first+i]); got != beforeNUL(text) {
					t.Fatalf("got %q, want %q", got, text)
				}
			}
			if p.words[first+len(list)] != 0 {
				t.Fatal("a list has no end")
			}
		}
	}
}

// textAt is the text at an address of the message, as the kernel reads it.
func textAt(p *initProcess, address uintptr) string {
	return beforeNUL(string(p.message[address-p.place(0) : p.end+1]))
}

func beforeNUL(text string) string {
	before, _, _ := strings.Cut(text, "\x00")
	return before
}

func TestProcess1ReadsTheSameMessage(t *testing.T) {
	process1 := process1ForTests(t)
	whole := sample().Encode(Order{Path: "/bin/sh", Dir: "/", Argv: []string{"sh", "", "-c"}, Env: []string{"A=b", "C="}, Terminal: true})
	for n := range len(whole) + 1 {
		p, order, ok := decode(whole[:n])
		process1(t, whole[:n], p, order, ok)
	}
}

func TestProcess1CarriesOutItsCalls(t *testing.T) {
	p, err := newInit(-1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.free()
	c := &Program{}
	text := c.Data([]byte("hello"))
	vector := c.Data(make([]byte, 16)) // struct iovec
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer closeAll(pipe[:])
	c.PokePtr(vector, text)
	c.Poke(vector+8, c.Do("count", syscall.SYS_WRITE, pipe[1], text, 5))
	c.Do("write what the memory points to", syscall.SYS_WRITEV, pipe[1], vector, 1)
	c.Try("may fail", syscall.SYS_CLOSE, -1)
	c.Find("may miss", syscall.SYS_OPENAT, -100, "/does/not/exist", 0, 0)
	b := c.Encode(Order{})
	copy(p.message[4:], b)
	if p.at, p.end = 4, 4+len(b); !p.decode() || !p.execute() {
		t.Fatal("it failed")
	}
	got := make([]byte, 20)
	if n, err := syscall.Read(pipe[0], got); err != nil || string(got[:n]) != "hellohello" {
		t.Errorf("got %q %v", got[:n], err)
	}
}

// FuzzDecode holds the helper to it that no bytes make it panic, allocate without bound, or accept a program whose calls
// point outside its memory.
func FuzzDecode(f *testing.F) {
	f.Add(sample().Encode(Order{Path: "/bin/sh", Argv: []string{"sh"}, Env: []string{"A=b"}}))
	f.Add((&Program{}).Encode(Order{}))
	f.Add([]byte{255, 255, 255, 255})
	process1 := process1ForTests(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, order, ok := decode(b)
		process1(t, b, p, order, ok)
		if !ok {
			return
		}
		for i, o := range p.ops {
			for k, kind := range o.kinds {
				if kind == address && o.args[k]+wordSize > uint64(len(p.memory)) || kind == register && o.args[k] >= uint64(i) {
					t.Fatalf("call %d points outside: %+v", i, o)
				}
			}
		}
		again := (&Program{ops: p.ops, memory: p.memory[:len(p.memory)-wordSize]}).Encode(order)
		if q, second, ok := decode(again); !ok || len(q.ops) != len(p.ops) || !reflect.DeepEqual(second, order) {
			t.Fatal("it is not read again as it was")
		}
	})
}

func TestSpareMemoryLeavesWhatIsNeeded(t *testing.T) {
	for _, row := range []struct {
		rule   string
		needed []span
		want   []span
	}{
		{"nothing", nil, []span{{10, 50}}},
		{"a part of the middle", []span{{20, 30}}, []span{{10, 20}, {30, 50}}},
		{"the start, and what is elsewhere", []span{{0, 20}, {60, 70}}, []span{{20, 50}}},
		{"two that overlap", []span{{20, 40}, {30, 60}}, []span{{10, 20}}},
		{"all", []span{{0, 60}}, nil},
	} {
		got := without(nil, span{10, 50}, row.needed)
		if len(got) != len(row.want) {
			t.Fatalf("%s: got %v, want %v", row.rule, got, row.want)
		}
		for i := range got {
			if got[i] != row.want[i] {
				t.Errorf("%s: got %v, want %v", row.rule, got, row.want)
			}
		}
	}
	p, err := newInit(-1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.free()
	tp := &template{process: p}
	at := uintptr(unsafe.Pointer(p))
	all := tp.spare()
	if len(all) > len(tp.unused) {
		t.Errorf("%d pieces, with room for %d", len(all), len(tp.unused))
	}
	for _, s := range all {
		if s.from <= at && at < s.to {
			t.Errorf("%v is given up, where process 1 has its memory", s)
		}
	}
}
