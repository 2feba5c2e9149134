package input

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// mostHistory is how many entries a history keeps, and mostEntry how long one of them may be in bytes.
const (
	mostHistory = 2000
	mostEntry   = 64 << 10
)

// History holds what was written before, the newest last. With a file it survives; without one it does not.
type History struct {
	file    string
	entries []string
	at      int    // the entry that is shown; len(entries): the draft
	draft   string // what was written before going back
}

// OpenHistory reads a history from a file of JSON strings, one on each line. A file that cannot be read is an empty history.
func OpenHistory(file string) *History {
	h := &History{file: file}
	f, err := os.Open(file)
	if err == nil {
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 2*mostEntry)
		for lines.Scan() {
			var s string
			if json.Unmarshal(lines.Bytes(), &s) == nil && s != "" {
				h.entries = append(h.entries, s)
			}
		}
	}
	if n := len(h.entries) - mostHistory; n > 0 {
		h.entries = h.entries[n:]
	}
	h.at = len(h.entries)
	return h
}

// Add adds an entry and writes it to the file. One that repeats the last is left out.
func (h *History) Add(s string) error {
	if strings.TrimSpace(s) == "" || len(s) > mostEntry || len(h.entries) > 0 && h.entries[len(h.entries)-1] == s {
		h.at, h.draft = len(h.entries), ""
		return nil
	}
	h.entries = append(h.entries, s)
	h.at, h.draft = len(h.entries), ""
	if h.file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	line, err := json.Marshal(s)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Forget lets the file have nothing of what is added from now on.
func (h *History) Forget() { h.file = "" }

// Empty reports whether nothing was ever written.
func (h *History) Empty() bool { return len(h.entries) == 0 }

// Keep adds an entry for as long as the program runs: words that were not sent. It is the newest.
func (h *History) Keep(s string) {
	if len(h.entries) == 0 || h.entries[len(h.entries)-1] != s {
		h.entries = append(h.entries, s)
	}
	h.at, h.draft = len(h.entries), ""
}

// written takes what is in the line: an entry that was changed is the draft from then on, and the draft before it an entry.
func (h *History) written(now string) {
	if h.at < len(h.entries) && now != string([]rune(h.entries[h.at])) {
		if h.draft != "" {
			h.entries = append(h.entries, h.draft)
		}
		h.at, h.draft = len(h.entries), now
	}
}

// Older returns the entry before the one that is shown. now is what is written: it comes back with Newer.
func (h *History) Older(now string) (string, bool) {
	h.written(now)
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = now
	}
	h.at--
	return h.entries[h.at], true
}

// Newer returns the entry after the one that is shown, and at last the draft. now is what is written.
func (h *History) Newer(now string) (string, bool) {
	h.written(now)
	if h.at >= len(h.entries) {
		return "", false
	}
	h.at++
	if h.at == len(h.entries) {
		return h.draft, true
	}
	return h.entries[h.at], true
}

// Search returns the entries that contain all words of a query, the newest first, without repeats.
func (h *History) Search(query string) (found []string) {
	words := strings.Fields(strings.ToLower(query))
	seen := map[string]bool{}
next:
	for i := len(h.entries) - 1; i >= 0; i-- {
		low := strings.ToLower(h.entries[i])
		for _, w := range words {
			if !strings.Contains(low, w) {
				continue next
			}
		}
		if !seen[h.entries[i]] {
			seen[h.entries[i]] = true
			found = append(found, h.entries[i])
		}
	}
	return found
}
