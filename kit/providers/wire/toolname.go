package wire

import (
	"crypto/sha256"
	"encoding/hex"
)

// ToolName returns a tool's name as every provider takes it: a letter or underscore, then letters, digits, underscores and
// dashes, 64 at most. A name that is right stays; another one is changed and ends in 8 digits of its hash, so that two
// names never become one.
func ToolName(name string) string {
	if nameFits(name) {
		return name
	}
	out := make([]byte, 0, 64)
	for i := 0; i < len(name) && len(out) < 55; i++ {
		if c := name[i]; nameByte(c) && (len(out) > 0 || !digitOrDash(c)) {
			out = append(out, c)
		} else {
			out = append(out, '_')
		}
	}
	sum := sha256.Sum256([]byte(name))
	return string(append(out, '_')) + hex.EncodeToString(sum[:4])
}

func nameFits(name string) bool {
	if name == "" || len(name) > 64 || digitOrDash(name[0]) {
		return false
	}
	for i := range len(name) {
		if !nameByte(name[i]) {
			return false
		}
	}
	return true
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func digitOrDash(c byte) bool { return c == '-' || c >= '0' && c <= '9' }
