package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// minLine is the length from which a line of a value of several lines is a secret by itself.
const minLine = 16

// minCode is the length from which an encoded value is masked; of a shorter one too little is left after its edges are cut.
const minCode = 8

// spellings returns the ways in which a value is written in text, each once, the plain one first.
func spellings(value string) []string {
	all := []string{value, escapedJSON(value), strings.ReplaceAll(escapedJSON(value), "/", `\/`), url.QueryEscape(value), lowerPercent(url.QueryEscape(value)), url.PathEscape(value), html.EscapeString(value)}
	if len(value) >= minCode {
		all = append(all, reversed(value))
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= minLine {
				all = append(all, line)
			}
		}
	}
	var distinct []string
	for _, s := range all {
		if !slices.Contains(distinct, s) {
			distinct = append(distinct, s)
		}
	}
	return distinct
}

// reversed is a value from its last character to its first, as rev prints it.
func reversed(value string) string {
	runes := []rune(value)
	slices.Reverse(runes)
	return string(runes)
}

// base32Cores is base64Cores for base32, whose groups have five bytes.
func base32Cores(value string) []string {
	var cores []string
	for offset := range 5 {
		padded := strings.Repeat("\x00", offset) + value
		text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(padded))
		first, last := (offset*8+4)/5, len(padded)*8/5
		if core := text[first:last]; len(core) >= minCode {
			cores = append(cores, core, strings.ToLower(core))
		}
	}
	return cores
}

func escapedJSON(value string) string {
	quoted, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return string(quoted[1 : len(quoted)-1])
}

// lowerPercent writes the hex digits of percent escapes in lower case.
func lowerPercent(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// base64Cores returns what a value looks like inside base64, for each alignment to the groups of three bytes and
// in both alphabets. The characters at its edges, which depend on the bytes beside it, are left out.
func base64Cores(value string) []string {
	var cores []string
	for offset := range 3 {
		padded := strings.Repeat("\x00", offset) + value
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := enc.EncodeToString([]byte(padded))
			first := []int{0, 2, 3}[offset]
			last := len(padded) * 8 / 6 // characters that hold only bits of the value
			if core := text[first:last]; len(core) >= minCode {
				cores = append(cores, core)
			}
		}
	}
	return cores
}
