package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// WireName returns a tool's name as every provider takes it: a letter or underscore, then letters, digits, underscores and
// dashes, 64 at most. A name that is right stays; another one is changed and ends in 8 digits of its hash, so that two
// names never become one.
func WireName(name string) string {
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

// ToolCache keeps what an adapter made of the tools that it was given last: tools seldom change in a session, and their
// schemas are long. The zero ToolCache is empty and ready; it may be used from many goroutines.
type ToolCache struct {
	mu    sync.Mutex
	specs []ToolSpec
	bytes []byte
	names map[string]string
}

// Get returns what encode makes of the tools, and their names by wire name where the two differ.
func (c *ToolCache) Get(specs []ToolSpec, encode func([]ToolSpec) []byte) (wire []byte, names map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes != nil && sameTools(c.specs, specs) {
		return c.bytes, c.names
	}
	c.specs, c.bytes, c.names = append([]ToolSpec(nil), specs...), encode(specs), nil
	for _, s := range specs {
		if w := WireName(s.Name); w != s.Name {
			if c.names == nil {
				c.names = make(map[string]string)
			}
			c.names[w] = s.Name
		}
	}
	return c.bytes, c.names
}

func sameTools(a, b []ToolSpec) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Description != b[i].Description || !bytes.Equal(a[i].Schema, b[i].Schema) {
			return false
		}
	}
	return true
}
