//go:build linux

// Package box is what runs between the moment a sandbox is entered and the moment its program starts: a list of
// system calls, made as data by package sandbox and carried out by a child of ours, which then starts the program
// and stays as the reaper of everything in it. It imports next to nothing, because it is loaded for every command.
package box

import (
	"slices"
	"unsafe"
)

// Program is a list of system calls with the memory that they point into.
type Program struct {
	ops   []op
	names []string
	blob  []byte
}

// op is one call as both sides see it; they are the same binary, so its memory is sent as it is.
type op struct {
	call  uint64
	args  [6]uint64
	kinds [6]uint8
	flags uint8
}

const (
	value    = iota // an argument is a number
	address         // an argument is an offset in the blob
	register        // an argument is the result of an earlier call, by its index
)

const (
	optional  = 1 << iota // a failure is ignored; the result is then -1
	mayMiss               // likewise, but only that something is not there
	attempted             // the errno is reported, whatever it is: the probe's questions
)

// Calls that the kernel does not know: they are carried out by whoever carries out the program.
const (
	callPoke32   = 1<<32 + iota // store a register in the blob
	callPokePtr                 // store an address of the blob in the blob
	callSendFile                // send an open file to the parent
)

// Reg is the result of a call, for later ones.
type Reg int

// Ptr is a place in the program's memory.
type Ptr int

// Clone gives a copy to which more can be added. Results and places of the original are those of the copy, too.
func (p *Program) Clone() *Program {
	return &Program{ops: slices.Clone(p.ops), names: slices.Clone(p.names), blob: slices.Clone(p.blob)}
}

// Data puts bytes into the program's memory, aligned for the kernel.
func (p *Program) Data(b []byte) Ptr {
	for len(p.blob)%8 != 0 {
		p.blob = append(p.blob, 0)
	}
	p.blob = append(p.blob, b...)
	return Ptr(len(p.blob) - len(b))
}

// Do adds a call that must succeed. Arguments are numbers, strings (sent with a NUL), Ptr and Reg.
func (p *Program) Do(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), 0, args)
}

// Try adds a call that may fail.
func (p *Program) Try(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), optional, args)
}

// Find adds a call that may only fail because what it names, or an earlier Find opened, is not there.
func (p *Program) Find(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), mayMiss, args)
}

// Attempt adds a call whose errno is told to the parent: a question of the probe.
func (p *Program) Attempt(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), attempted, args)
}

// Poke stores the result of a call in memory, as 32 bits.
func (p *Program) Poke(at Ptr, r Reg) { p.add("poke", callPoke32, 0, []any{at, r}) }

// PokePtr stores an address in memory.
func (p *Program) PokePtr(at, target Ptr) { p.add("poke", callPokePtr, 0, []any{at, target}) }

// SendFile sends the open file of a register to the parent.
func (p *Program) SendFile(r Reg) { p.add("hand out the listener", callSendFile, 0, []any{r}) }

// Name tells what the call with a number was for.
func (p *Program) Name(i int) string {
	if i < 0 || i >= len(p.names) {
		return "start"
	}
	return p.names[i]
}

func (p *Program) add(name string, call uint64, flags uint8, args []any) Reg {
	o := op{call: call, flags: flags}
	for i, a := range args {
		o.args[i], o.kinds[i] = p.arg(a)
	}
	p.ops = append(p.ops, o)
	p.names = append(p.names, name)
	return Reg(len(p.ops) - 1)
}

func (p *Program) arg(a any) (uint64, uint8) {
	switch a := a.(type) {
	case string:
		return uint64(p.Data(append([]byte(a), 0))), address
	case Ptr:
		return uint64(a), address
	case Reg:
		return uint64(a), register
	case int:
		return uint64(a), value
	case uint64:
		return a, value
	case uint32:
		return uint64(a), value
	case uintptr:
		return uint64(a), value
	}
	panic("box: an argument of a type that no call takes")
}

// header opens the message: the sizes of what follows.
type header struct {
	ops, blob, argc, envc, text uint32
	flags                       uint32
	id                          uint32 // of the run, for reports; set where the message is received
	_                           uint32 // what follows is aligned
}

const (
	flagTerminal = 1 << iota // make stdin the controlling terminal
	flagProbe                // start nothing: the attempts were all
)

// Order is a program to start after the calls.
type Order struct {
	Path, Dir string
	Argv, Env []string
	Terminal  bool
	Probe     bool
}

// Encode makes the message that the child reads: calls, memory, and what to start.
func (p *Program) Encode(o Order) []byte {
	text := append([]byte(o.Path), 0)
	text = append(append(text, o.Dir...), 0)
	for _, list := range [][]string{o.Argv, o.Env} {
		for _, s := range list {
			text = append(append(text, s...), 0)
		}
	}
	h := header{uint32(len(p.ops)), uint32(len(p.blob)), uint32(len(o.Argv)), uint32(len(o.Env)), uint32(len(text)), 0, 0, 0}
	if o.Terminal {
		h.flags |= flagTerminal
	}
	if o.Probe {
		h.flags |= flagProbe
	}
	message := append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h))...)
	if len(p.ops) > 0 {
		size := uintptr(len(p.ops)) * unsafe.Sizeof(p.ops[0])
		message = append(message, unsafe.Slice((*byte)(unsafe.Pointer(&p.ops[0])), size)...)
	}
	return append(append(message, p.blob...), text...)
}
