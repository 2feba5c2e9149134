package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ToolName returns the name under which a model calls a server's tool: mcp__server__tool. Letters that providers do not take
// become '_', and what is too long is cut; such a name ends with a short hash, so that two tools never share one. The
// server keeps the tool's own name.
func ToolName(server, tool string) string {
	prefix := ToolPrefix(server)
	return prefix + plainName(tool, mostName-len(prefix))
}

const (
	mostName   = 64 // bytes, what every provider takes
	mostServer = 28
)

// plainName returns a part of a name: letters, digits, '_' and '-', without "__", which joins the parts.
func plainName(name string, most int) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	for strings.Contains(plain, "__") {
		plain = strings.ReplaceAll(plain, "__", "_")
	}
	plain = strings.Trim(plain, "_")
	if plain == name && plain != "" && len(plain) <= most {
		return plain
	}
	sum := sha256.Sum256([]byte(name))
	hash := hex.EncodeToString(sum[:4])
	return strings.TrimRight(plain[:min(len(plain), most-len(hash)-1)], "_") + "-" + hash
}

// ToolPrefix returns what the names of all tools of a server begin with: mcp__server__.
func ToolPrefix(server string) string { return "mcp__" + plainName(server, mostServer) + "__" }
