//go:build linux

// Package box is the helper side of the sandbox: the supervisor of a session, and process 1 of each sandboxed program.
//
// Both are our own binary, started again with Role in their environment. Package sandbox describes what a helper must do
// before it starts a program as a list of system calls (Program); the helper carries them out, starts the program, and
// waits for it. The package imports next to nothing, because a helper starts when the binary does, before its other packages.
package box

import "slices"

// Program is a list of system calls with the memory that they point into.
type Program struct {
	ops    []op
	names  []string // for error messages; they stay with the parent
	memory []byte
}

// op is one call.
type op struct {
	call  uint64
	args  [6]uint64
	kinds [6]uint8
	flags uint8
}

// The kinds of arguments.
const (
	value    = iota // a number
	address         // an offset in the program's memory
	register        // the result of an earlier call, by its index
	lastKind = register
)

// The flags of a call. Without any a call must succeed.
const (
	optional  = 1 << iota // any failure is ignored; the result is then -1
	mayMiss               // likewise, but only the failure that something is not there
	attempted             // the error number is reported, whatever it is: a question of the probe
)

// Calls that the kernel does not know: the helper carries them out itself.
const (
	callPoke32   = 1<<32 + iota // store the result of a call in the memory
	callPokePtr                 // store an address of the memory in the memory
	callSendFile                // send an open file to the parent
	callKeepFile                // keep an open file for the programs of a zygote
)

// Reg is the result of a call, for later ones.
type Reg int

// Ptr is a place in the program's memory.
type Ptr int

// Clone returns a copy to which more can be added. Results and places of the original are those of the copy, too.
func (p *Program) Clone() *Program {
	return &Program{ops: slices.Clone(p.ops), names: slices.Clone(p.names), memory: slices.Clone(p.memory)}
}

// Data puts bytes into the program's memory, aligned for the kernel.
func (p *Program) Data(b []byte) Ptr {
	for len(p.memory)%8 != 0 {
		p.memory = append(p.memory, 0)
	}
	p.memory = append(p.memory, b...)
	return Ptr(len(p.memory) - len(b))
}

// Do adds a call that must succeed. Arguments are numbers, strings (which get a NUL), Ptr and Reg.
func (p *Program) Do(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), 0, args)
}

// Try adds a call that may fail.
func (p *Program) Try(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), optional, args)
}

// Find adds a call that may fail only because what it names, or an earlier Find opened, is not there.
func (p *Program) Find(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), mayMiss, args)
}

// Attempt adds a call whose error number is reported to the parent: a question of the probe.
func (p *Program) Attempt(name string, call uintptr, args ...any) Reg {
	return p.add(name, uint64(call), attempted, args)
}

// Poke stores the result of a call in memory, as 32 bits.
func (p *Program) Poke(at Ptr, r Reg) { p.add("poke", callPoke32, 0, []any{at, r}) }

// PokePtr stores the address of a place in memory.
func (p *Program) PokePtr(at, target Ptr) { p.add("poke", callPokePtr, 0, []any{at, target}) }

// SendFile sends the open file of a register to the parent.
func (p *Program) SendFile(r Reg) { p.add("send an open file", callSendFile, 0, []any{r}) }

// KeepFile makes the open file of a register file Kept of all programs of a zygote.
func (p *Program) KeepFile(r Reg) { p.add("keep an open file", callKeepFile, 0, []any{r}) }

// Name returns the purpose of the call with an index.
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

// encode appends the program to a message.
func (p *Program) encode(b []byte) []byte {
	b = slices.Grow(b, len(p.ops)*opSize+len(p.memory)+8)
	b = put32(b, uint32(len(p.ops)))
	for i := range p.ops {
		o := &p.ops[i]
		b = put64(b, o.call)
		for _, a := range o.args {
			b = put64(b, a)
		}
		b = append(append(b, o.kinds[:]...), o.flags)
	}
	b = append(put32(b, uint32(len(p.memory)+wordSize)), p.memory...)
	return append(b, make([]byte, wordSize)...) // room for an address at its end
}

const opSize = 8 + 6*8 + 6 + 1

// decodeProgram reads a program and checks that its calls use only its own memory and earlier results. The memory is a
// copy, with the room for an address at its end.
func decodeProgram(r *reader) (*Program, bool) {
	p := &Program{ops: make([]op, r.count(opSize))}
	for i := range p.ops {
		o := &p.ops[i]
		o.call = r.u64()
		for k := range o.args {
			o.args[k] = r.u64()
		}
		for k := range o.kinds {
			o.kinds[k] = r.u8()
		}
		o.flags = r.u8()
	}
	p.memory = slices.Clone(r.bytes())
	size := len(p.memory) - wordSize
	if size < 0 {
		return nil, false
	}
	for i := range p.ops {
		if !p.ops[i].valid(i, size) {
			return nil, false
		}
	}
	return p, !r.short
}

const wordSize = 8

// valid reports whether the arguments of the call with an index refer to memory and results that exist.
//
//go:nosplit
//go:norace
func (o *op) valid(index, memory int) bool {
	for k, kind := range o.kinds {
		switch {
		case kind > lastKind,
			kind == address && o.args[k] > uint64(memory),
			kind == register && o.args[k] >= uint64(index):
			return false
		}
	}
	switch o.call {
	case callPoke32:
		return o.kinds[0] == address && o.kinds[1] == register
	case callPokePtr:
		return o.kinds[0] == address && o.kinds[1] == address
	case callSendFile, callKeepFile:
		return o.kinds[0] == register
	}
	return o.call < callPoke32
}
