package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// maxCanonical is the length in bytes above which arguments are alike only byte for byte: spelling a whole file again
// for each hash would cost more than the call.
const maxCanonical = 8 << 10

// Canonical spells JSON in one way: keys in order, no blanks, one form for each text and number. What is no JSON, or
// long, is left as it is: such arguments are alike only byte for byte.
func Canonical(args json.RawMessage) []byte {
	if len(args) > maxCanonical {
		return append([]byte("raw:"), args...)
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return append([]byte("raw:"), args...)
	}
	out, err := json.Marshal(v)
	if err != nil || repeatsKey(args) {
		return append([]byte("raw:"), args...)
	}
	return out
}

// repeatsKey reports whether an object has a key twice: readers differ in which of them counts.
func repeatsKey(args json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(args))
	return repeated(d)
}

func repeated(d *json.Decoder) bool {
	t, err := d.Token()
	if err != nil {
		return false
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return false
	}
	keys := map[string]bool{}
	for d.More() {
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return false
			}
			name, _ := key.(string)
			if keys[name] {
				return true
			}
			keys[name] = true
		}
		if repeated(d) {
			return true
		}
	}
	_, _ = d.Token() // the end; an error would have shown before
	return false
}

// Binding is what an approval is bound to. If any of it has changed when the call is about to run, the answer is void and
// the call needs a new approval.
type Binding struct {
	Session string
	Call    string          // id of the call
	Tool    string          // name
	Args    json.RawMessage // the exact final arguments, as they were shown
	Root    string          // the workspace's path
	RootID  string          // identity of the directory behind it, such as device and inode; "" where it is not known
	Mode    Mode
	Rules   string // of the guards and their rules: see Fingerprint
	Epoch   string // what else the approval is bound to; "" is nothing
}

// Hash is the SHA-256 of the binding in hex. Arguments that mean the same have the same hash however they are spelled;
// missing arguments, null, {} and "" differ from each other.
func (b Binding) Hash() string {
	h := sha256.New()
	args := Canonical(b.Args)
	if b.Args == nil {
		args = []byte("none")
	}
	for _, part := range [][]byte{[]byte(b.Session), []byte(b.Call), []byte(b.Tool), args, []byte(b.Root), []byte(b.RootID), {byte(b.Mode)}, []byte(b.Rules), []byte(b.Epoch)} {
		var size [8]byte
		for i, n := 0, len(part); i < len(size); i, n = i+1, n>>8 {
			size[i] = byte(n)
		}
		h.Write(size[:])
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
