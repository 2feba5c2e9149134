package api

// The audit log says who did what through the server. It is an append-only file of JSON lines.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Entry is one thing that somebody did.
type Entry struct {
	Number  int64     `json:"number" doc:"counts the entries from 1, without gaps"`
	Time    time.Time `json:"time"`
	Who     string    `json:"who" doc:"name of the user; empty for the owner"`
	Role    string    `json:"role,omitempty"`
	Address string    `json:"address,omitempty" doc:"of the client"`
	Through string    `json:"through,omitempty" doc:"cookie, key or link"`
	What    string    `json:"what" doc:"what was done: signed_in, refused_sign_in, refused_key, signed_out, answered, created, sent, cancelled, …"`
	Dir     string    `json:"dir,omitempty"`
	Session string    `json:"session,omitempty"`
	Call    string    `json:"call,omitempty"`
	Hash    string    `json:"hash,omitempty" doc:"of the approval request that was answered"`
	Text    string    `json:"text,omitempty" doc:"the choice with its scope and words, or other details"`
}

// AuditLog is the file. It may be used by several goroutines at once.
type AuditLog struct {
	mu   sync.Mutex
	file *os.File
	last int64
}

// OpenAuditLog opens the log for appending. A last line that a crash cut off is closed with a line break.
func OpenAuditLog(name string) (*AuditLog, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	l := &AuditLog{file: f}
	text, err := os.ReadFile(name)
	if err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
		_, err = f.WriteString("\n")
	}
	for _, e := range parse(text) {
		l.last = max(l.last, e.Number)
	}
	return l, err
}

// Add appends an entry, with its number and time.
func (l *AuditLog) Add(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Number, e.Time = l.last+1, time.Now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	l.last++
	return nil
}

// Newest returns the entries with numbers below before (0: all) that shown reports, newest first, at most most.
func (l *AuditLog) Newest(before int64, most int, shown func(Entry) bool) ([]Entry, error) {
	text, err := os.ReadFile(l.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all := slices.DeleteFunc(parse(text), func(e Entry) bool { return before > 0 && e.Number >= before || !shown(e) })
	slices.Reverse(all)
	return all[:min(len(all), most)], err
}

// Close closes the file.
func (l *AuditLog) Close() error { return l.file.Close() }

func parse(text []byte) (all []Entry) {
	for line := range strings.Lines(string(text)) {
		var e Entry
		if json.Unmarshal([]byte(line), &e) == nil && e.Number > 0 {
			all = append(all, e)
		}
	}
	return all
}
