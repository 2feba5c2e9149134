package guards

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"regexp"
	"strings"
	"sync"
	"time"

	"rein/guard"
	"rein/tool"
)

// callKey is what makes two calls the same. Commands are compared by their text, whatever the model says about them; others by
// their arguments, but for how long they may take.
func callKey(c guard.Case) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(c.Call.Name + "\x00")
	if c.Intent.Command != "" {
		h.WriteString(strings.TrimSpace(c.Intent.Command))
		return h.Sum64()
	}
	h.Write(withoutTimes(guard.Canonical(c.Call.Args)))
	return h.Sum64()
}

// withoutTimes takes the arguments away that only say how long a call may take.
func withoutTimes(args []byte) []byte {
	if !bytes.Contains(args, []byte(`"timeout"`)) && !bytes.Contains(args, []byte(`"wait"`)) {
		return args
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return args
	}
	delete(all, "timeout")
	delete(all, "wait")
	if text, err := json.Marshal(all); err == nil {
		return text
	}
	return args
}

// resultKey is what makes two results the same. What files contain is compared as it is: there, a time is content.
func resultKey(c guard.Case, result tool.Result) uint64 {
	text := result.Text
	if i := c.Intent; i.Command != "" || i.Unknown || len(i.Reads)+len(i.Writes) == 0 {
		text = steady(text)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(text)
	for _, p := range result.Parts {
		h.WriteString("\x00" + string(p.Kind) + p.URI + p.Text)
		h.Write(p.Data)
	}
	return h.Sum64()
}

// leastWait is how long a call must have waited, so that what it looks at may have changed.
const leastWait = time.Second

// waiting are words of commands and tools that wait.
var waiting = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:sleep|wait|watch)\b`) })

// waited reports whether a call has waited for something outside: a program that sleeps, a job that goes on, a tool that was
// told to wait.
func waited(c guard.Case, result tool.Result) bool {
	if result.Duration < leastWait {
		return false
	}
	if d := tool.ParseDetail(result.Detail); d.Command != nil && d.Command.Running {
		return true
	}
	return waiting().MatchString(c.Intent.Command) || waiting().MatchString(c.Call.Name) || bytes.Contains(c.Call.Args, []byte(`"wait"`))
}
