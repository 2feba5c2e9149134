//go:build linux

package sandbox

// Numbers travel little-endian, and everything of variable length behind its length. Both ends are the same binary.

func put32(b []byte, n uint32) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func put64(b []byte, n uint64) []byte { return put32(put32(b, uint32(n)), uint32(n>>32)) }

func putBytes[T string | []byte](b []byte, s T) []byte { return append(put32(b, uint32(len(s))), s...) }

func putStrings(b []byte, list []string) []byte {
	b = put32(b, uint32(len(list)))
	for _, s := range list {
		b = putBytes(b, s)
	}
	return b
}

// reader takes numbers and strings from the front of a message. After the first one that is not there all are zero, and
// short is true.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(n uint32) []byte {
	if r.short || uint64(n) > uint64(len(r.rest)) {
		r.short = true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u32() uint32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (r *reader) u64() uint64 {
	low := uint64(r.u32())
	return low | uint64(r.u32())<<32
}

func (r *reader) bytes() []byte { return r.take(r.u32()) }

func (r *reader) string() string { return string(r.bytes()) }

// count reads how many items follow, each of at least so many bytes: a number that the message cannot hold allocates
// nothing.
func (r *reader) count(least uint32) int {
	n := r.u32()
	if uint64(n)*uint64(least) > uint64(len(r.rest)) {
		r.short = true
	}
	if r.short {
		return 0
	}
	return int(n)
}

func (r *reader) strings() []string {
	list := make([]string, 0, r.count(4))
	for range cap(list) {
		list = append(list, r.string())
	}
	return list
}
