package agent

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestEstimate holds the estimates to bounds around what two real vocabularies (o200k, cl100k) count.
func TestEstimate(t *testing.T) {
	random := make([]byte, 3000)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(random)
	rows := []struct {
		name, text string
		least      float64 // bytes for one token, by the smaller of the two vocabularies
		most       float64
	}{
		{"Go", strings.Repeat("func (s *Session) add(m *model.Message) {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n", 40), 2.6, 3.7},
		{"English", strings.Repeat("The program checks each call, asks the user where that is needed, and records the result of the work. ", 40), 4.2, 5.4},
		{"log lines", strings.Repeat("2026-11-22T10:31:58.037Z INFO server[37]: request id=5bc41 took 37ms\n", 40), 2.1, 2.8},
		{"base64", base64.StdEncoding.EncodeToString(random), 1.3, 1.8},
		{"hexadecimal", hex.EncodeToString(random), 1.4, 2.0},
		{"Chinese", strings.Repeat("这个程序检查每一次调用，并在需要时询问用户。", 40), 2.7, 4.0},
		{"Russian", strings.Repeat("Программа проверяет каждый вызов и спрашивает пользователя. ", 40), 3.8, 6.0},
	}
	for _, row := range rows {
		got := float64(len(row.text)) / float64(estimateTokens(row.text))
		if got < row.least || got > row.most {
			t.Errorf("%s: %.2f bytes for a token, want %.2f to %.2f", row.name, got, row.least, row.most)
		}
		if fast, exact := estimateQuickly(row.text), estimateTokens(row.text); fast < exact*80/100 || fast > exact*120/100 {
			t.Errorf("%s: quick %d, exact %d", row.name, fast, exact)
		}
	}
	if estimateTokens("") != 0 || estimateTokens("a") != 1 || estimateTokens(" ") != 1 || estimateQuickly("") != 0 {
		t.Error("an empty text has no token, any other at least one")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	text := strings.Repeat("a text Of all_kinds, 123 字 — end\n", 1000)
	if n := testing.AllocsPerRun(10, func() { estimateTokens(text); estimateQuickly(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("hello, World 123\n\n字")
	f.Add(strings.Repeat("aB3", 2000))
	f.Add("\xff\xfe\x80")
	f.Fuzz(func(t *testing.T, text string) {
		n := estimateTokens(text)
		if n < 0 || n > 2*len(text)+1 || (n == 0) != (text == "") {
			t.Errorf("%d tokens for %d bytes", n, len(text))
		}
		if q := estimateQuickly(text); q < 0 || q > 2*len(text)+1 {
			t.Errorf("quick: %d tokens for %d bytes", q, len(text))
		}
		if half := len(text) / 2; utf8.ValidString(text[:half]) && estimateTokens(text[:half]) > n+4 {
			t.Errorf("half of the text has %d tokens, the whole %d", estimateTokens(text[:half]), n)
		}
	})
}

func TestCorrection(t *testing.T) {
	var c correction
	if got := c.apply(1000); got != 1150 {
		t.Errorf("before the first answer: %d", got)
	}
	c.learn(100, 5000)
	if c.factor != 0 {
		t.Error("a short text teaches nothing")
	}
	c.learn(1000, 900)
	if got := c.apply(1000); got != 900 {
		t.Errorf("after one answer: %d", got)
	}
	c.learn(1000, 100_000)
	if c.factor != (0.9+mostFactor)/2 {
		t.Errorf("after a strange one: %v", c.factor)
	}
	c.learn(1000, 0)
	if c.factor != (0.9+mostFactor)/2 {
		t.Error("an answer without a count teaches nothing")
	}
}

func BenchmarkEstimate50kB(b *testing.B) {
	text := strings.Repeat("\tfor i, m := range messages { if m.Role == Assistant { count(m) } }\n", 50_000/68)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		estimateTokens(text)
	}
}

func BenchmarkQuick50kB(b *testing.B) {
	text := strings.Repeat("\tfor i, m := range messages { if m.Role == Assistant { count(m) } }\n", 50_000/68)
	for b.Loop() {
		estimateQuickly(text)
	}
}
