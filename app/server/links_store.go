package server

// The files links*.go keep one-time links: each answers one approval request, as it was when the link was made, within a time. Only
// hashes of the links are kept. A page without scripts shows the request; opening it answers nothing.

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

// linkTarget is the request that a link answers.
type linkTarget struct {
	Dir     string    `json:"dir"`
	Session string    `json:"session"`
	Call    string    `json:"call"`
	Hash    string    `json:"hash"` // of the request as it was shown
	For     string    `json:"for"`  // who got the link
	Expires time.Time `json:"expires"`
}

// mostLinks is how many links are kept; the ones that expire first end.
const mostLinks = 5000

// errNoLink is the error for a link that is not known, was used, or has expired.
var errNoLink = errors.New("this link was used already, or has expired")

// linkStore keeps links in a file. Several goroutines may use it at once; several processes may not.
type linkStore struct {
	file string

	mu  sync.Mutex
	all map[string]linkTarget // by the hash of the token
}

// openLinks reads the links of a file.
func openLinks(file string) (*linkStore, error) {
	s := &linkStore{file: file, all: map[string]linkTarget{}}
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
func (s *linkStore) New(t linkTarget) (token string, err error) {
	token = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(s.all, func(_ string, t linkTarget) bool { return now.After(t.Expires) })
	for len(s.all) >= mostLinks {
		first := ""
		for k, t := range s.all {
			if first == "" || t.Expires.Before(s.all[first].Expires) {
				first = k
			}
		}
		delete(s.all, first)
	}
	s.all[hashToken(token)] = t
	return token, s.write()
}

// Get returns what a link answers, without using it.
func (s *linkStore) Get(token string) (linkTarget, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(token)
}

func (s *linkStore) get(token string) (linkTarget, error) {
	t, ok := s.all[hashToken(token)]
	if !ok || time.Now().After(t.Expires) {
		return linkTarget{}, errNoLink
	}
	return t, nil
}

// Use ends a link and returns what it answers. Of several who use it at once only one gets it.
func (s *linkStore) Use(token string) (linkTarget, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.get(token)
	if err != nil {
		return t, err
	}
	delete(s.all, hashToken(token))
	return t, s.write()
}

func (s *linkStore) write() error {
	text, err := json.Marshal(s.all)
	if err != nil {
		return err
	}
	return plainfile.Replace(s.file, text)
}

func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
