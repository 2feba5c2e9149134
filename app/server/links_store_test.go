package server

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A link is used once, also after a restart, and not after its time. The file does not have it.
func TestALinkIsUsedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "links.json")
	s, err := openLinks(file)
	if err != nil {
		t.Fatal(err)
	}
	token, err1 := s.New(linkTarget{Expires: time.Now().Add(time.Hour)})
	old, err2 := s.New(linkTarget{Expires: time.Now().Add(-time.Second)})
	text, err3 := os.ReadFile(file)
	if err := errors.Join(err1, err2, err3); err != nil || strings.Contains(string(text), token) {
		t.Fatal(err, string(text))
	}
	if _, err := s.Use(old); !errors.Is(err, errNoLink) {
		t.Error("a link is used after its time:", err)
	}
	if _, err := s.Use(token); err != nil {
		t.Error(err)
	}
	again, err := openLinks(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*linkStore{s, again} {
		if _, err := s.Use(token); !errors.Is(err, errNoLink) {
			t.Error("a link is used twice:", err)
		}
	}
}
