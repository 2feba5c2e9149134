package schema

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
)

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// nameRule is what a provider takes as a name: its first sign, the others, and the length.
type nameRule struct {
	first, rest string
	least, most int
}

func (r nameRule) fits(name string) bool {
	if name == "" || len(name) < r.least || len(name) > r.most || !strings.Contains(r.first, name[:1]) {
		return false
	}
	return strings.Trim(name, r.rest) == "" && !strings.ContainsFunc(name, func(c rune) bool { return !strings.ContainsRune(r.rest, c) })
}

// plain replaces what the rule forbids by underscores and cuts the rest.
func (r nameRule) plain(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < 0x80 && strings.ContainsRune(r.rest, c) {
			return c
		}
		return '_'
	}, name)
	if name == "" || !strings.Contains(r.first, name[:1]) {
		name = r.first[26:27] + strings.TrimPrefix(name, "_") // a letter that any rule takes in front
	}
	return name[:min(len(name), r.most)]
}

// hashed is plain with a mark that distinguishes names that look the same; round makes another mark.
func (r nameRule) hashed(name string, round int) string {
	sum := sha256.Sum256(append([]byte(name), make([]byte, round)...))
	mark := "_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
	plain := r.plain(name)
	return plain[:min(len(plain), r.most-len(mark))] + mark
}

// ToolNames maps the names of a set of tools to names that a provider takes, and back. Both ways are exact, and the same
// set gives the same names in every run. It does not change.
type ToolNames struct {
	sent, original map[string]string
}

// ToolNames maps the names of tools. A name that the provider takes stays; another loses what is forbidden, and where that
// would be like another name, it gets a hash.
func (p Profile) Names(names []string) *ToolNames {
	n := &ToolNames{map[string]string{}, map[string]string{}}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var odd []string
	wanted := map[string]int{}
	for _, name := range names {
		if p.tool.fits(name) {
			n.add(name, name)
			continue
		}
		odd = append(odd, name)
		wanted[p.tool.plain(name)]++
	}
	for _, name := range odd {
		sent := p.tool.plain(name)
		cut := len(name) > p.tool.most
		for round := 0; cut || wanted[p.tool.plain(name)] > 1 || n.taken(sent); round++ {
			sent = p.tool.hashed(name, round)
			if !n.taken(sent) {
				break
			}
		}
		n.add(name, sent)
	}
	return n
}

func (n *ToolNames) add(name, sent string)  { n.sent[name], n.original[sent] = sent, name }
func (n *ToolNames) taken(sent string) bool { _, ok := n.original[sent]; return ok }

// Sent returns the name to send for a tool, or the name itself when it is none of the set.
func (n *ToolNames) Sent(name string) string {
	if sent, ok := n.sent[name]; ok {
		return sent
	}
	return name
}

// Original returns the tool that a provider's name means, and false for a name that was never sent.
func (n *ToolNames) Original(sent string) (string, bool) {
	name, ok := n.original[sent]
	return name, ok
}

// CallID returns the id to send for a call: the id itself where the provider takes it, else one made from its hash, the
// same each time. Nine letters hold 2^53 ids, so that two calls of a conversation do not meet.
func (p Profile) CallID(id string) string {
	if p.id.fits(id) {
		return id
	}
	const alphabet = letters + digits
	sum := sha256.Sum256([]byte(id))
	length := p.id.least
	if length == 0 {
		length = 24
	}
	made := make([]byte, length)
	for i := range made {
		made[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(made)
}
