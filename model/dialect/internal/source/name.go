package source

// LongestName is how long a tool's name may be in a text dialect, in bytes.
const LongestName = 256

// IsIdent reports whether a byte may be part of a name in a program.
func IsIdent(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
