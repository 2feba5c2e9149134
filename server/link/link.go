// Package link keeps one-time links: each answers one approval request, as it was when the link was made, within a time. Only
// hashes of the links are kept. A page without scripts shows the request; opening it answers nothing.
package link

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"rein/internal/plainfile"
)

// Target is the request that a link answers.
type Target struct {
	Dir     string    `json:"dir"`
	Session string    `json:"session"`
	Call    string    `json:"call"`
	Hash    string    `json:"hash"` // of the request as it was shown
	For     string    `json:"for"`  // who got the link
	Expires time.Time `json:"expires"`
}

// mostLinks is how many links are kept; the ones that expire first end.
const mostLinks = 5000

// ErrNone is the error for a link that is not known, was used, or has expired.
var ErrNone = errors.New("this link was used already, or has expired")

// Store keeps links in a file. Several goroutines may use it at once; several processes may not.
type Store struct {
	file string

	mu  sync.Mutex
	all map[string]Target // by the hash of the token
}

// Open reads the links of a file.
func Open(file string) (*Store, error) {
	s := &Store{file: file, all: map[string]Target{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s.all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// New makes a link and returns its token, which is not kept.
func (s *Store) New(t Target) (token string, err error) {
	token = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(s.all, func(_ string, t Target) bool { return now.After(t.Expires) })
	for len(s.all) >= mostLinks {
		first := ""
		for k, t := range s.all {
			if first == "" || t.Expires.Before(s.all[first].Expires) {
				first = k
			}
		}
		delete(s.all, first)
	}
	s.all[hash(token)] = t
	return token, s.write()
}

// Get returns what a link answers, without using it.
func (s *Store) Get(token string) (Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(token)
}

func (s *Store) get(token string) (Target, error) {
	t, ok := s.all[hash(token)]
	if !ok || time.Now().After(t.Expires) {
		return Target{}, ErrNone
	}
	return t, nil
}

// Use ends a link and returns what it answers. Of several who use it at once only one gets it.
func (s *Store) Use(token string) (Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.get(token)
	if err != nil {
		return t, err
	}
	delete(s.all, hash(token))
	return t, s.write()
}

func (s *Store) write() error {
	text, err := json.Marshal(s.all)
	if err != nil {
		return err
	}
	return plainfile.Replace(s.file, text)
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
