//go:build linux

package box

import (
	"bytes"
	"math"
	"reflect"
	"syscall"
	"testing"
)

// sample is a program with every kind of call and argument.
func sample() *Program {
	p := &Program{}
	fd := p.Do("open", syscall.SYS_OPENAT, uint64(math.MaxUint64), "/dev/null", 0)
	at := p.Data(make([]byte, 16))
	p.Poke(at, fd)
	p.PokePtr(at+8, p.Data([]byte("abc")))
	p.Find("close", syscall.SYS_CLOSE, fd)
	p.Try("close again", syscall.SYS_CLOSE, fd)
	p.Attempt("ask", syscall.SYS_GETPID)
	p.SendFile(fd)
	p.KeepFile(fd)
	return p
}

func TestMessageIsReadAsItWasWritten(t *testing.T) {
	for _, order := range []Order{
		{Argv: []string{}, Env: []string{}},
		{Path: "/bin/sh", Dir: "/", Argv: []string{"sh", "-c", "", "\x00"}, Env: []string{"A=b"}, Terminal: true},
		{Argv: []string{}, Env: []string{""}, Probe: true},
	} {
		p := sample()
		got, read, ok := decode(p.Encode(order))
		if !ok || !reflect.DeepEqual(read, order) {
			t.Fatalf("got %+v %v, want %+v", read, ok, order)
		}
		if !reflect.DeepEqual(got.ops, p.ops) || !bytes.Equal(got.memory[:len(p.memory)], p.memory) || len(got.memory) < len(p.memory)+wordSize {
			t.Errorf("another program was read: %+v", got)
		}
	}
}

func TestMessageThatPointsOutsideIsRefused(t *testing.T) {
	for name, op := range map[string]op{
		"an address behind the memory":    {call: 1, args: [6]uint64{9}, kinds: [6]uint8{address}},
		"an address that wraps":           {call: 1, args: [6]uint64{math.MaxUint64}, kinds: [6]uint8{address}},
		"a result of a later call":        {call: 1, args: [6]uint64{1}, kinds: [6]uint8{register}},
		"its own result":                  {call: 1, args: [6]uint64{0}, kinds: [6]uint8{register}},
		"an unknown kind of argument":     {call: 1, kinds: [6]uint8{lastKind + 1}},
		"a poke to a number":              {call: callPoke32, kinds: [6]uint8{value, value}},
		"a pointer to a number":           {call: callPokePtr, kinds: [6]uint8{address, value}},
		"a file that no call has opened":  {call: callSendFile, kinds: [6]uint8{value}},
		"a call that nobody knows":        {call: callKeepFile + 1},
		"a file to keep that is a number": {call: callKeepFile, kinds: [6]uint8{value}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Program{memory: make([]byte, 8)}
			p.ops = append(p.ops, op)
			if _, _, ok := decode(p.Encode(Order{})); ok {
				t.Error("it was taken")
			}
		})
	}
}

func TestMessageThatIsCutShortIsRefused(t *testing.T) {
	whole := sample().Encode(Order{Path: "/bin/sh", Argv: []string{"sh"}, Env: []string{"A=b"}})
	for n := range whole {
		if _, _, ok := decode(whole[:n]); ok {
			t.Fatalf("%d of %d bytes were taken", n, len(whole))
		}
	}
	if _, _, ok := decode(append(whole, 0)); ok {
		t.Error("a byte too many was taken")
	}
}

func TestReportIsReadAsItWasWritten(t *testing.T) {
	want := Report{Kind: Ended, Index: -1, Errno: math.MinInt32, Status: 1 << 31, CPU: -5, ID: 7}
	if b := want.Encode(); len(b) != ReportSize || DecodeReport(b) != want {
		t.Errorf("got %+v from %d bytes", DecodeReport(b), len(b))
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(Request{Kind: Start, ID: 1, Fresh: true}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok := decodeRequest(b)
		if ok != (len(b) >= RequestSize) {
			t.Fatalf("%d bytes: %v", len(b), ok)
		}
		if again, _ := decodeRequest(r.Encode()); again != r {
			t.Fatalf("got %+v, want %+v", again, r)
		}
	})
}
