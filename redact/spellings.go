package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// minLine is the length from which a line of a value of several lines is a secret by itself.
const minLine = 16

// spellings returns the ways in which a value is written in text, each once, the plain one first.
func spellings(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) < MinValue {
		return nil
	}
	all := []string{value, escapedJSON(value), url.QueryEscape(value), lowerPercent(url.QueryEscape(value)), url.PathEscape(value), html.EscapeString(value)}
	if len(value) >= 8 { // shorter ones have too little left of them after the edges are cut
		all = append(all, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))))
		all = append(all, base64Cores(value)...)
	}
	if len(value) >= 8 {
		digits := hex.EncodeToString([]byte(value))
		for _, between := range []string{" ", ":", `\x`, "%"} {
			all = append(all, separated(digits, between), separated(strings.ToUpper(digits), between))
		}
		all = append(all, separated4(digits), digits[:2]+" "+separated4(digits[2:]), reversed(value))
		all = append(all, base32Cores(value)...)
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= minLine {
				all = append(all, line)
			}
		}
	}
	var distinct []string
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			distinct = append(distinct, s)
		}
	}
	return distinct
}

// separated puts a text between the bytes of hex digits, as hexdump, openssl and escapes in programs write them.
func separated(digits, between string) string {
	var b strings.Builder
	for i := 0; i < len(digits); i += 2 {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(digits[i : i+2])
	}
	return b.String()
}

// separated4 puts blanks between pairs of bytes, as xxd does.
func separated4(digits string) string {
	var b strings.Builder
	for i := 0; i < len(digits); i += 4 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(digits[i:min(i+4, len(digits))])
	}
	return b.String()
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
		if core := text[first:last]; len(core) >= 8 {
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

// base64Cores returns what a value looks like inside base64, for each alignment to the groups of three bytes, in
// both alphabets, without the characters at its edges that depend on its neighbours.
func base64Cores(value string) []string {
	var cores []string
	for offset := range 3 {
		padded := strings.Repeat("\x00", offset) + value
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := enc.EncodeToString([]byte(padded))
			first := []int{0, 2, 3}[offset]
			last := len(padded) * 8 / 6 // characters that hold only bits of the value
			if core := text[first:last]; len(core) >= 8 {
				cores = append(cores, core)
			}
		}
	}
	return cores
}
