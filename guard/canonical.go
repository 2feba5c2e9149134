package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	jsonopts "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxCanonical is the length in bytes above which arguments are alike only byte for byte: spelling a whole file again
// for each hash would cost more than the call.
const maxCanonical = 8 << 10

// Canonical spells JSON in one way: keys in order, no blanks, one form for each text. What is no JSON, has a key twice (readers
// differ in which of them counts), or is long, is left as it is: such arguments are alike only byte for byte.
func Canonical(args json.RawMessage) []byte {
	if len(args) <= maxCanonical {
		if out, err := jsontext.AppendFormat(nil, args, oneSpelling); err == nil {
			return out
		}
	}
	return append([]byte("raw:"), args...)
}

// oneSpelling leaves each number as it is written: two that differ beyond what a float holds must not look alike. The escapes are
// those of encoding/json.
var oneSpelling = jsonopts.JoinOptions(jsontext.ReorderRawObjects(true), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true))

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
