package redact

// class is a set of bytes. 0, which stands for the end of the text, is in none.
type class [4]uint64

func (s *class) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s *class) add(b byte) { s[b>>6] |= 1 << (b & 63) }

// newClass reads a set in the notation of regular expressions: "A-Za-z0-9_-"; a hyphen at the end stands for itself.
func newClass(spec string) *class {
	var s class
	for i := 0; i < len(spec); i++ {
		last := spec[i]
		if i+2 < len(spec) && spec[i+1] == '-' {
			last = spec[i+2]
		}
		for b := int(spec[i]); b <= int(last); b++ {
			s.add(byte(b))
		}
		if last != spec[i] {
			i += 2
		}
	}
	return &s
}

func isWord(b byte) bool { return isLetter(b) || isDigit(b) || b == '_' }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
