package dialect

// longestName is how long a tool's name may be in a text dialect, in bytes.
const longestName = 256

// isNameByte reports whether a byte may be part of a name in a program.
func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
