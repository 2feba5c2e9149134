//go:build linux && (amd64 || arm64)

package box

import (
	"syscall"
	"unsafe"
)

// What process 1 does with its message: see initProcess for the rule of these functions.

// decode finds the parts of the message, which stay where they are. It is false for bytes that Encode did not make.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) decode() bool {
	p.calls = p.count(opSize)
	p.ops = p.at
	p.at += p.calls * opSize
	p.next = p.calls // their results are the first words
	p.memory = p.text()
	p.size = p.at - p.memory - wordSize
	if p.short || p.size < 0 {
		return false
	}
	for i := range p.calls {
		var o op
		p.load(&o, i)
		if !o.valid(i, p.size) {
			return false
		}
	}
	flags := p.u32()
	p.terminal, p.probe = flags&flagTerminal != 0, flags&flagProbe != 0
	p.path = p.text()
	p.dir = p.text()
	p.argv = p.texts()
	p.env = p.texts()
	return !p.short && p.at == p.end
}

// u32 reads a number, and leaves a zero in its place: the NUL of the text before it.
//
//go:nosplit
//go:norace
func (p *initProcess) u32() uint32 {
	if p.short || p.end-p.at < 4 {
		p.short = true
		return 0
	}
	n := uint32(p.number(p.at, 4))
	p.message[p.at] = 0
	p.at += 4
	return n
}

// count reads how many items follow, each of at least so many bytes. It is zero for more than the message can hold.
//
//go:nosplit
//go:norace
func (p *initProcess) count(least int) int {
	n := int(p.u32())
	if n*least > p.end-p.at {
		p.short = true
		return 0
	}
	return n
}

// text reads a text and returns where it is.
//
//go:nosplit
//go:norace
func (p *initProcess) text() int {
	n := p.count(1)
	p.at += n
	return p.at - n
}

// texts reads a list of texts, makes the list of their addresses for the kernel, and returns where that is in words.
//
//go:nosplit
//go:norace
func (p *initProcess) texts() int {
	n, first := p.count(4), p.next
	for range n {
		p.words[p.next] = p.place(p.text())
		p.next++
	}
	p.words[p.next] = 0
	p.next++
	return first
}

// place is the address of a place in the message.
//
//go:nosplit
//go:norace
func (p *initProcess) place(at int) uintptr { return uintptr(unsafe.Pointer(&p.message[at])) }

// number reads a number of some bytes.
//
//go:nosplit
//go:norace
func (p *initProcess) number(at, bytes int) (n uint64) {
	for i := bytes - 1; i >= 0; i-- {
		n = n<<8 | uint64(p.message[at+i])
	}
	return n
}

// load reads a call.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) load(o *op, i int) {
	at := p.ops + i*opSize
	o.call = p.number(at, 8)
	at += 8
	for k := range o.args {
		o.args[k] = p.number(at, 8)
		at += 8
	}
	for k := range o.kinds {
		o.kinds[k] = p.message[at]
		at++
	}
	o.flags = p.message[at]
}

// execute carries out the calls. It reports attempts, and the call that failed; it is false after a failure.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) execute() bool {
	for i := range p.calls {
		var o op
		p.load(&o, i)
		errno := p.do(&o, i)
		switch {
		case o.flags&attempted != 0:
			p.tell(Attempted, int32(i), errno)
		case errno != 0 && !o.forgives(errno):
			p.tell(Failed, int32(i), errno)
			return false
		}
	}
	return true
}

// do carries out one call.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) do(o *op, i int) syscall.Errno {
	for k := range o.args {
		switch o.kinds[k] {
		case address:
			o.args[k] += uint64(p.place(p.memory))
		case register:
			o.args[k] = uint64(p.words[o.args[k]])
		}
	}
	at := int(uintptr(o.args[0]) - p.place(0)) // where a poke is to
	switch o.call {
	case callPoke32:
		p.poke(at, o.args[1], 4)
	case callPokePtr:
		p.poke(at, o.args[1], wordSize)
	case callSendFile:
		return p.sendFile(int32(o.args[0]))
	case callKeepFile:
	default:
		a := &o.args
		result, _, errno := syscall.RawSyscall6(uintptr(o.call), uintptr(a[0]), uintptr(a[1]), uintptr(a[2]), uintptr(a[3]), uintptr(a[4]), uintptr(a[5]))
		if errno != 0 {
			result = ^uintptr(0)
		}
		p.words[i] = result
		return errno
	}
	return 0
}

// poke stores a number of some bytes in the message.
//
//go:nosplit
//go:norace
func (p *initProcess) poke(at int, n uint64, bytes int) {
	for i := range bytes {
		p.message[at+i] = byte(n >> (8 * i))
	}
}

// sendFile sends an open file to the parent.
//
//go:nosplit
//go:norace
func (p *initProcess) sendFile(file int32) syscall.Errno {
	const length = syscall.SizeofCmsghdr + 4
	rights := &p.rights[1]
	for i := range rights {
		rights[i] = 0
	}
	rights[0] = length
	rights[8], rights[12] = syscall.SOL_SOCKET, syscall.SCM_RIGHTS
	for i := range 4 {
		rights[syscall.SizeofCmsghdr+i] = byte(file >> (8 * i))
	}
	for i := range p.report {
		p.report[i] = 0
	}
	p.report[0] = File
	p.parts[1].Len, p.out.Controllen = ReportSize, length
	_, errno := raw(syscall.SYS_SENDMSG, Control, uintptr(unsafe.Pointer(&p.out)), 0)
	return errno
}
