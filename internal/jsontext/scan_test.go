package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStr(t *testing.T) {
	rows := []struct{ name, in, want string }{
		{"plain", `"abc"`, "abc"},
		{"empty", `""`, ""},
		{"short escapes", `"\n\t\"\\\/\r\b\f"`, "\n\t\"\\/\r\b\f"},
		{"a backslash before the quote", `"a\\"`, `a\`},
		{"two backslashes and a quote", `"a\\\"b"`, `a\"b`},
		{"unicode", `"\u00e9\u4e2d"`, "é中"},
		{"a surrogate pair", `"\ud83d\ude00!"`, "😀!"},
		{"half a pair", `"\ud83d"`, "\xed\xa0\xbd"},
		{"an escape that is none stays", `"\d+\x"`, `\d+\x`},
		{"a short unicode escape stays", `"\u12"`, `\u12`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var s Scan
			s.Reset([]byte(row.in))
			if got := s.Str(); string(got) != row.want || s.End() != nil {
				t.Errorf("got %q, %v", got, s.Err())
			}
		})
	}
}

func TestFieldsAndItems(t *testing.T) {
	var s Scan
	s.Reset([]byte(` {"skip": {"a":[1,{"b":"]}"}]}, "list" : [ "x" , "y" ], "n": -12.7e0, "ok":true, "none":null} `))
	var got []string
	n, ok := 0, false
	for key := range s.Fields() {
		switch string(key) {
		case "list":
			for range s.Items() {
				got = append(got, string(s.Str()))
			}
		case "n":
			n = s.Int()
		case "ok":
			ok = s.Bool()
		case "none":
			for range s.Items() {
				t.Error("null has items")
			}
		}
	}
	if err := s.End(); err != nil || strings.Join(got, "") != "xy" || n != -12 || !ok {
		t.Errorf("got %q, %d, %v, %v", got, n, ok, err)
	}
}

func TestFaults(t *testing.T) {
	for _, in := range []string{``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `[1 2]`, `[1,]`, `"a`, `"a\"`, `tru`, `{]`, `nul`, `<html>`, `1 2`, `{"a":}`, strings.Repeat("[", 300)} {
		var s Scan
		s.Reset([]byte(in))
		s.Skip()
		if s.End() == nil {
			t.Errorf("%q was taken", in)
		}
	}
}

func TestJoin(t *testing.T) {
	rows := []struct{ name, in, want string }{
		{"valid text stays", "aé", "aé"},
		{"halves that met", "a\xed\xa0\xbd\xed\xb8\x80b", "a😀b"},
		{"a half alone", "a\xed\xa0\xbdb", "a\uFFFDb"},
		{"the wrong half first", "\xed\xb8\x80\xed\xa0\xbd", "\uFFFD\uFFFD"},
		{"bytes that are no text", "a\xffb", "a\uFFFDb"},
		{"a cut half", "\xed\xa0", "\uFFFD\uFFFD"},
	}
	for _, row := range rows {
		if got := Join(row.in); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// What encoding/json takes is taken, and means the same; nothing else makes it panic.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b\n",null,{"c":false}]}`, `"\ud83d\ude00"`, `"\\\""`, `[[],{}]`, `{"a":"b`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var s Scan
		s.Reset(in)
		raw := s.Raw()
		err := s.End()
		if !json.Valid(in) {
			return
		}
		if err != nil {
			if strings.Contains(err.Error(), "deep") {
				return
			}
			t.Fatalf("%q: %v", in, err)
		}
		if string(raw) != strings.Trim(string(in), " \t\r\n") {
			t.Fatalf("raw %q of %q", raw, in)
		}
		var want string
		if utf8.Valid(in) && json.Unmarshal(in, &want) == nil && s.in[0] != 'n' {
			s.Reset(in)
			if got := Join(string(s.Str())); s.Kind() == 0 && in[0] == '"' && got != want {
				t.Fatalf("%q: got %q, want %q", in, got, want)
			}
		}
	})
}

func TestMemo(t *testing.T) {
	var s Scan
	var m Memo
	learn := func(in string) {
		s.Reset([]byte(in))
		for key := range s.Fields() {
			if string(key) == "x" {
				s.Str()
			}
		}
		m.Learn(&s, s.Last())
	}
	learn(`{"a":1,"x":"one","b":[2]}`)
	rows := []struct{ name, in, want string }{
		{"only the text differs", `{"a":1,"x":"two and more","b":[2]}`, "two and more"},
		{"no text", `{"a":1,"x":"","b":[2]}`, ""},
		{"escapes", `{"a":1,"x":"a\n\"b\"","b":[2]}`, "a\n\"b\""},
		{"another head", `{"a":2,"x":"two","b":[2]}`, "!"},
		{"another tail", `{"a":1,"x":"two","b":[3]}`, "!"},
		{"more fields", `{"a":1,"x":"two","c":"y","b":[2]}`, "!"},
		{"an escaped end", `{"a":1,"x":"two\","b":[2]}`, "!"},
		{"too short", `{"a":1,"x":"b":[2]}`, "!"},
	}
	for _, row := range rows {
		text, ok := m.Match([]byte(row.in))
		if got := string(text); ok != (row.want != "!") || ok && got != row.want {
			t.Errorf("%s: got %q, %v", row.name, got, ok)
		}
	}
	if m.Forget(); len(m.before) != 0 {
		t.Error("not forgotten")
	}
}

// What a memo takes is what a scan would read.
func FuzzMemo(f *testing.F) {
	f.Add(`{"x":"b"}`)
	f.Add(`{"x":"b\\","x":"c"}`)
	f.Fuzz(func(t *testing.T, in string) {
		var s Scan
		var m Memo
		s.Reset([]byte(`{"x":"a"}`))
		for range s.Fields() {
			s.Str()
		}
		m.Learn(&s, s.Last())
		text, ok := m.Match([]byte(in))
		if !ok {
			return
		}
		s.Reset([]byte(in))
		for range s.Fields() {
			if got := s.Str(); string(got) != string(text) {
				t.Fatalf("%q: %q and %q", in, text, got)
			}
		}
		if s.End() != nil {
			t.Fatalf("%q: %v", in, s.Err())
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	in := []byte(`{"id":"chatcmpl-AbC123","object":"chat.completion.chunk","created":1763683200,"model":"gpt-5-mini","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"0123456789abcdef"}}]},"logprobs":null,"finish_reason":null}],"usage":null}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	var s Scan
	for b.Loop() {
		s.Reset(in)
		found := 0
		for key := range s.Fields() {
			if string(key) != "choices" {
				continue
			}
			for range s.Items() {
				for key := range s.Fields() {
					if string(key) == "delta" {
						found += len(s.Raw())
					}
				}
			}
		}
		if found == 0 {
			b.Fatal(s.Err())
		}
	}
}

func BenchmarkMemo(b *testing.B) {
	in := []byte(`{"id":"chatcmpl-AbC123","object":"chat.completion.chunk","created":1763683200,"model":"gpt-5-mini","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":"0123456789abcdef"},"logprobs":null,"finish_reason":null}],"usage":null}`)
	var s Scan
	var m Memo
	s.Reset(in)
	for range s.Fields() {
		for range s.Items() {
			for range s.Fields() {
				for key := range s.Fields() {
					if string(key) == "content" {
						s.Str()
					}
				}
			}
		}
	}
	m.Learn(&s, s.Last())
	b.ReportAllocs()
	for b.Loop() {
		if text, ok := m.Match(in); !ok || len(text) != 16 {
			b.Fatal("no match")
		}
	}
}
