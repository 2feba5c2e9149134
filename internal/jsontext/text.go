package jsontext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// openingQuote returns the quote at the start of text and its length, or a length of 0.
func openingQuote(text []byte) (rune, int) {
	if len(text) == 0 {
		return 0, 0
	}
	switch text[0] {
	case '"', '\'', '`':
		return rune(text[0]), 1
	case 0xE2:
		if r, size := utf8.DecodeRune(text); strings.ContainsRune("“”„‘’‚", r) {
			return r, size
		}
	}
	return 0, 0
}

// closers returns the signs that may end a string that quote opened. A smart quote is ended by a smart one, unless the
// text has none.
func (r *reader) closers(quote rune) string {
	switch quote {
	case '“', '”', '„':
		if r.curly {
			return "”“"
		}
		return "“\""
	case '‘', '’', '‚':
		if r.curlySingle {
			return "’‘"
		}
		return "‘'"
	}
	return string(quote)
}

// closingQuote returns the offset and length of the first sign that may end the string, past escapes; -1 for none.
func closingQuote(text []byte, ends string) (offset, size int) {
	first, last := ends[0], ends[len(ends)-1]
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' {
			i++
			continue
		}
		if c != first && (c != last || last >= utf8.RuneSelf) {
			continue
		}
		if r, n := utf8.DecodeRune(text[i:]); strings.ContainsRune(ends, r) {
			return i, n
		}
	}
	return -1, 0
}

// text reads a string value whose opening quote of the given size is at hand.
func (r *reader) text(quote rune, size int) error {
	if bytes.HasPrefix(r.rest(), []byte(`"""`)) || bytes.HasPrefix(r.rest(), []byte(`'''`)) {
		return r.tripled(quote)
	}
	start := r.pos + size
	end, closer, err := r.closing(start, quote)
	if err != nil {
		return err
	}
	content := r.src[start:end]
	if quote != '"' {
		r.note("read other quotes as double quotes")
	}
	if r.out, err = r.quotedWith(quote, content, r.out); err != nil {
		return err
	}
	r.pos = end + closer
	return r.joined()
}

// closing finds the quote that ends the string: the first that is followed by what can follow a string here. The
// others belong to the text.
func (r *reader) closing(start int, quote rune) (end, size int, err error) {
	quotes := 0
	for pos := start; ; {
		i, n := closingQuote(r.src[pos:], r.closers(quote))
		if i < 0 {
			return 0, 0, r.cutOff("a string has no closing quote")
		}
		pos += i
		if r.endsString(pos + n) {
			return pos, n, r.weigh(quotes, start, pos)
		}
		if quote != '\'' && quote != '’' && quote != '‘' || !apostrophe(r.src, pos, n) {
			quotes++
			// Inner quotes open and close in turn. One that opens has its text behind it, not more JSON.
			if quotes%2 == 1 && r.looksOver(pos+n, quote) {
				return 0, 0, refuse(ambiguous, pos, "a string could end at either of two quotes")
			}
		}
		pos += n
	}
}

// apostrophe reports whether the single quote at pos is between two letters.
func apostrophe(src []byte, pos, size int) bool {
	return pos > 0 && isWordByte(src[pos-1]) && pos+size < len(src) && isWordByte(src[pos+size])
}

// looksOver reports whether what follows a quote looks like JSON although it does not fit here: the string may have ended
// and something else is broken, so it is ambiguous.
func (r *reader) looksOver(pos int, quote rune) bool {
	pos, _ = r.skip(pos)
	if pos >= len(r.src) {
		return false
	}
	switch c := r.src[pos]; {
	case c == ':' || c == '{' || c == '[':
		return true
	case c == '}':
		return true // an object is always open
	case c == ']':
		return bytes.IndexByte(r.stack, '[') >= 0
	case separatorSize(r.src[pos:]) > 0:
		pos, _ = r.skip(pos + separatorSize(r.src[pos:]))
		rest := r.src[pos:]
		return len(rest) == 0 || startsValue(rest) || isCloser(rest[0])
	}
	if c, size := openingQuote(r.src[pos:]); size > 0 {
		return strings.ContainsRune(r.closers(quote), c)
	}
	return r.scalarStands(pos)
}

// scalarStands reports whether a number or a literal is at pos as in a list, with a comma or a bracket behind it.
func (r *reader) scalarStands(pos int) bool {
	const longest = 64
	token := bareToken(r.src[pos:min(len(r.src), pos+longest)])
	if _, known := literals[string(token)]; !known && !isNumber(token) {
		return false
	}
	pos, _ = r.skip(pos + len(token))
	return pos < len(r.src) && (isCloser(r.src[pos]) || separatorSize(r.src[pos:]) > 0)
}

// brokenOff is an escaped quote that may be the end of a string whose last letter is a backslash: "C:\dir\", "next"…
var brokenOff = lazy{text: `\\"\s*[,:}\]]`}

var inches = lazy{text: `(^|[\s(])\d+(\.\d+)?$`}

// weigh judges a string that holds unescaped quotes. Quotes come in pairs: when one is left over, the string may have
// ended elsewhere (but 5" is a length).
func (r *reader) weigh(quotes, start, end int) error {
	if quotes == 0 {
		return nil
	}
	r.inner = true
	r.note("escaped quotes inside a string")
	if brokenOff.get().Match(r.src[start:end]) {
		return refuse(ambiguous, start, "a string could end at an escaped quote")
	}
	if quotes == 2 && r.src[start] == '"' && r.src[end-1] == '"' {
		return refuse(ambiguous, start, "a string is in two pairs of quotes")
	}
	if quotes%2 == 0 {
		return nil
	}
	first := start + bytes.IndexByte(r.src[start:end], '"')
	if quotes == 1 && first > start && inches.get().Match(r.src[max(start, first-10):first]) && r.src[first+1] == ' ' {
		if r.odd++; r.odd == 1 {
			return nil
		}
	}
	return refuse(ambiguous, max(first, start), "a string holds a single unescaped quote")
}
