//go:build linux

package sandbox

// The files helper_… are the helper side of the sandbox: the supervisor of a session, and process 1 of each program.
//
// Both are our own binary, started again with helperRole in their environment. A backend describes what a helper must do
// before it starts a program as a list of system calls (callProgram); the helper carries them out, starts the program, and
// waits for it. These files import next to nothing, because a helper is started for every command.

import "slices"

// callProgram is a list of system calls with the memory that they point into.
type callProgram struct {
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

// callRegister is the result of a call, for later ones.
type callRegister int

// callPointer is a place in the program's memory.
type callPointer int

// Clone returns a copy to which more can be added. Results and places of the original are those of the copy, too.
func (p *callProgram) Clone() *callProgram {
	return &callProgram{ops: slices.Clone(p.ops), names: slices.Clone(p.names), memory: slices.Clone(p.memory)}
}

// Data puts bytes into the program's memory, aligned for the kernel.
func (p *callProgram) Data(b []byte) callPointer {
	for len(p.memory)%8 != 0 {
		p.memory = append(p.memory, 0)
	}
	p.memory = append(p.memory, b...)
	return callPointer(len(p.memory) - len(b))
}

// Do adds a call that must succeed. Arguments are numbers, strings (which get a NUL), pointers and registers.
func (p *callProgram) Do(name string, call uintptr, args ...any) callRegister {
	return p.add(name, uint64(call), 0, args)
}

// Try adds a call that may fail.
func (p *callProgram) Try(name string, call uintptr, args ...any) callRegister {
	return p.add(name, uint64(call), optional, args)
}

// Find adds a call that may fail only because what it names, or an earlier Find opened, is not there.
func (p *callProgram) Find(name string, call uintptr, args ...any) callRegister {
	return p.add(name, uint64(call), mayMiss, args)
}

// Attempt adds a call whose error number is reported to the parent: a question of the probe.
func (p *callProgram) Attempt(name string, call uintptr, args ...any) callRegister {
	return p.add(name, uint64(call), attempted, args)
}

// Poke stores the result of a call in memory, as 32 bits.
func (p *callProgram) Poke(at callPointer, r callRegister) {
	p.add("poke", callPoke32, 0, []any{at, r})
}

// PokePtr stores the address of a place in memory.
func (p *callProgram) PokePtr(at, target callPointer) {
	p.add("poke", callPokePtr, 0, []any{at, target})
}

// SendFile sends the open file of a register to the parent.
func (p *callProgram) SendFile(r callRegister) { p.add("send an open file", callSendFile, 0, []any{r}) }

// KeepFile makes the open file of a register the keptFile of all programs of a zygote.
func (p *callProgram) KeepFile(r callRegister) { p.add("keep an open file", callKeepFile, 0, []any{r}) }

// Name returns the purpose of the call with an index.
func (p *callProgram) Name(i int) string {
	if i < 0 || i >= len(p.names) {
		return "start"
	}
	return p.names[i]
}

func (p *callProgram) add(name string, call uint64, flags uint8, args []any) callRegister {
	o := op{call: call, flags: flags}
	for i, a := range args {
		o.args[i], o.kinds[i] = p.arg(a)
	}
	p.ops = append(p.ops, o)
	p.names = append(p.names, name)
	return callRegister(len(p.ops) - 1)
}

func (p *callProgram) arg(a any) (uint64, uint8) {
	switch a := a.(type) {
	case string:
		return uint64(p.Data(append([]byte(a), 0))), address
	case callPointer:
		return uint64(a), address
	case callRegister:
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
func (p *callProgram) encode(b []byte) []byte {
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
	return putBytes(b, p.memory)
}

const opSize = 8 + 6*8 + 6 + 1

// decodeProgram reads a program and checks that its calls use only its own memory and earlier results. The memory is a
// copy with room for an address at its end.
func decodeProgram(r *reader) (*callProgram, bool) {
	p := &callProgram{ops: make([]op, r.count(opSize))}
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
	memory := r.bytes()
	p.memory = make([]byte, len(memory)+wordSize)
	copy(p.memory, memory)
	for i := range p.ops {
		if !p.ops[i].valid(i, len(memory)) {
			return nil, false
		}
	}
	return p, !r.short
}

const wordSize = 8

// valid reports whether the arguments of the call with an index refer to memory and results that exist.
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
