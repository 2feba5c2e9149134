//go:build linux

package box

import (
	"syscall"
	"unsafe"
)

// message is the head of a piece of memory that holds a program and what to start after it: as they were sent, and behind
// that the results of the calls and the pointers to the strings. Process 1 of a box reads it where Go's runtime does not
// work (see first.go), so nothing here allocates, grows the stack or stores a pointer of Go's.
type message struct{ header }

const (
	headSize = unsafe.Sizeof(header{})
	opSize   = unsafe.Sizeof(op{})
	wordSize = unsafe.Sizeof(uintptr(0))
)

// sent is how many bytes follow the head.
//
//go:nosplit
func (h *header) sent() uintptr {
	return uintptr(h.ops)*opSize + uintptr(h.blob) + uintptr(h.text)
}

// size is how much memory the message needs in all.
//
//go:nosplit
func (h *header) size() uintptr {
	words := uintptr(h.ops) + uintptr(h.argc) + uintptr(h.envc) + 3
	return headSize + h.sent() + words*wordSize + unsafe.Sizeof(fileMessage{})
}

// decode copies a message, which comes from our own parent, whole, to memory that is large enough.
func decode(b []byte) *message {
	var h header
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), headSize), b)
	words := make([]uintptr, h.size()/wordSize+1)
	memory := unsafe.Pointer(unsafe.SliceData(words))
	copy(unsafe.Slice((*byte)(memory), len(words)*int(wordSize)), b)
	return (*message)(memory)
}

//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) at(offset uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(m), offset) }

//go:nosplit
func (m *message) op(i uint32) *op { return (*op)(m.at(headSize + uintptr(i)*opSize)) }

// inBlob is a place in the program's memory.
//
//go:nosplit
func (m *message) inBlob(offset uint64) unsafe.Pointer {
	return m.at(headSize + uintptr(m.ops)*opSize + uintptr(offset))
}

// textAt is a place in the strings: the path, the directory, the arguments, the environment.
//
//go:nosplit
func (m *message) textAt(offset uint32) unsafe.Pointer {
	return m.inBlob(uint64(m.blob) + uint64(offset))
}

// word is one of the numbers behind what was sent: the results of the calls, then the pointers to the arguments, a zero,
// those to the environment, a zero. After them there is room for a fileMessage.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) word(i uint32) *uintptr {
	aligned := (headSize + m.sent() + wordSize - 1) &^ (wordSize - 1)
	return (*uintptr)(m.at(aligned + uintptr(i)*wordSize))
}

// last is the result of the last call: the parent may want an open file that stays here.
func (m *message) last() uint32 {
	if m.ops == 0 {
		return 0
	}
	return uint32(*m.word(m.ops - 1))
}

// do carries out one call.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) do(i uint32) syscall.Errno {
	o := m.op(i)
	var a [6]uintptr
	for k := range a {
		switch o.kinds[k] {
		case value:
			a[k] = uintptr(o.args[k])
		case address:
			a[k] = uintptr(m.inBlob(o.args[k]))
		case register:
			a[k] = *m.word(uint32(o.args[k]))
		}
	}
	switch o.call {
	case callPoke32:
		*(*uint32)(m.inBlob(o.args[0])) = uint32(a[1])
		return 0
	case callPokePtr:
		*(*uintptr)(m.inBlob(o.args[0])) = a[1]
		return 0
	case callSendFile:
		return m.sendFile(a[0])
	}
	result, _, errno := syscall.RawSyscall6(uintptr(o.call), a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		result = ^uintptr(0)
	}
	*m.word(i) = result
	return errno
}

// fileMessage is a message with one open file, as sendmsg takes it.
type fileMessage struct {
	name         uintptr
	nameLength   uint32
	parts, count uintptr
	control      uintptr
	controlSize  uintptr
	flags        int32
	part         [2]uintptr // where, how much
	rights       struct {
		size        uintptr
		level, kind int32
		file        int32
	}
	report Report
}

// sendFile sends an open file to the parent.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) sendFile(file uintptr) syscall.Errno {
	f := (*fileMessage)(unsafe.Pointer(m.word(m.ops + m.argc + m.envc + 2)))
	*f = fileMessage{count: 1, report: Report{Kind: File, ID: m.id}}
	f.part = [2]uintptr{uintptr(unsafe.Pointer(&f.report)), unsafe.Sizeof(f.report)}
	f.parts, f.control, f.controlSize = uintptr(unsafe.Pointer(&f.part)), uintptr(unsafe.Pointer(&f.rights)), unsafe.Sizeof(f.rights)
	f.rights.size = unsafe.Offsetof(f.rights.file) + unsafe.Sizeof(f.rights.file)
	f.rights.level, f.rights.kind, f.rights.file = syscall.SOL_SOCKET, syscall.SCM_RIGHTS, int32(file)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_SENDMSG, Control, uintptr(unsafe.Pointer(f)), 0, 0, 0, 0)
	return errno
}

// forgives reports whether the program goes on after an error of the call.
//
//go:nosplit
func (o *op) forgives(errno syscall.Errno) bool {
	missing := errno == syscall.ENOENT || errno == syscall.ENOTDIR || errno == syscall.EBADF
	return o.flags&optional != 0 || o.flags&mayMiss != 0 && missing
}

// strings are all strings of the message.
func (m *message) strings() []string {
	var all []string
	text := unsafe.Slice((*byte)(m.textAt(0)), m.text)
	from := 0
	for i, c := range text {
		if c == 0 {
			all = append(all, string(text[from:i]))
			from = i + 1
		}
	}
	return all
}
