package guards

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// borrowed is what the arguments of a call have from an untrusted text.
type borrowed struct {
	from  passage
	words string // of the text
	how   string // what they are in the call
}

// borrows finds the words of untrusted texts in the arguments of a call that is a sink. Words that the user or the workspace has too
// come from there.
func (s *taint) borrows(kind sinkKind, args []string) (b borrowed, ok bool) {
	for _, arg := range args {
		if b, ok = s.target(kind, arg); ok {
			return b, true
		}
		switch kind {
		case fetchSink:
			if b, ok = s.smuggles(arg); ok {
				return b, true
			}
			continue
		case installSink:
			continue
		}
		if b, ok = s.content(arg); ok {
			return b, true
		}
	}
	return borrowed{}, false
}

// leastTarget is the length of a word that names a place or a person.
const leastTarget = 6

// target finds a place that only an untrusted text names: an address, a mailbox, a path, a channel.
func (s *taint) target(kind sinkKind, arg string) (borrowed, bool) {
	if kind == fetchSink && !strings.Contains(arg, "(") { // to follow a link is what links are for; code may send anything to it
		return borrowed{}, false
	}
	if kind == installSink && !strings.Contains(arg, "://") { // the name of a package is what documentation is for
		return borrowed{}, false
	}
	for _, word := range strings.Fields(fold(arg)) {
		places := []string{word}
		if at := strings.LastIndexByte(word, '@'); at > 0 { // data=@file, user@host
			places = append(places, word[at+1:])
		}
		if u, err := url.Parse(word[max(0, strings.Index(word, "http")):]); err == nil {
			places = append(places, u.Host)
		}
		for _, place := range places {
			places = append(places, strings.TrimRight(hostName().FindString(place), ":/"))
		}
		for _, place := range places {
			if !namesPlace(kind, place) {
				continue
			}
			if b, ok := s.only(place); ok {
				b.how = "names " + place
				return b, true
			}
		}
	}
	return borrowed{}, false
}

var (
	version  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v?[0-9][0-9.:/+_-]*([a-z]+[0-9.]*)?$`) })
	hostName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z0-9-]+\.)+[a-z]{2,}([:/]|$)`) })
	fileName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.(go|py|js|jsx|ts|tsx|md|ya?ml|json|toml|txt|rs|c|h|cc|cpp|java|kt|rb|sh|html|css|lock|cfg|ini|log|sql|mod|sum|xml|csv|php|swift|proto|env|conf)$`)
	})
)

// namesPlace reports whether a word is an address, a mailbox, a person or a channel; where a call writes, also a path.
func namesPlace(kind sinkKind, word string) bool {
	if len(word) < leastTarget || version().MatchString(word) {
		return false
	}
	switch {
	case strings.Contains(word, "://"), strings.Contains(word[1:], "@"), strings.ContainsRune("@#", rune(word[0])):
		return true
	case kind == writeSink && strings.ContainsRune("/~.$", rune(word[0])):
		return true
	}
	return hostName().MatchString(word) && !fileName().MatchString(word)
}

// only finds a word in the untrusted texts that neither the user's words have nor what was read of the workspace before: what is read there
// later may have been written down from the untrusted text.
func (s *taint) only(word string) (b borrowed, ok bool) {
	plain := squash(word)
	for i := range s.heard {
		p := &s.heard[i]
		if has(p, word, plain) {
			switch {
			case p.origin == ofUser || p.origin.trusted() && !ok:
				return borrowed{}, false
			case !p.origin.trusted() && !ok:
				b, ok = borrowed{from: *p, words: quote(p.raw, word)}, true
			}
		}
	}
	return b, ok
}

// has reports whether a text has a word; one that is spelled apart counts where it is long enough to be no chance.
func has(p *passage, word, plain string) bool {
	return strings.Contains(p.text(), word) || !p.origin.trusted() && len(plain) >= 10 && strings.Contains(p.plain, plain)
}

// row is how many words in a row are no chance; leastRow, where they are all of an argument.
const (
	row      = 6
	leastRow = 5
)

// content finds a run of words that only an untrusted text has; a shorter argument counts where all of it is from there.
func (s *taint) content(arg string) (borrowed, bool) {
	words := strings.Fields(fold(arg))
	n := min(row, len(words))
	if n < leastRow {
		return borrowed{}, false
	}
	for i := 0; i+n <= len(words) && i < 2*mostRows; i += 2 {
		if b, ok := s.only(" " + strings.Join(words[i:i+n], " ") + " "); ok {
			b.how = "repeats its words"
			return b, true
		}
	}
	return borrowed{}, false
}

// mostRows bounds how many rows of words of one argument are looked for.
const mostRows = 400

// The lengths from which on a part of an address may carry data.
const (
	leastValue = 16 // of a query
	leastStep  = 32 // of a path
	leastLabel = 12 // of a host
)

// smuggles finds an address whose host comes from an untrusted text, and that carries what the text has not.
func (s *taint) smuggles(arg string) (borrowed, bool) {
	for word := range strings.FieldsSeq(arg) {
		u, err := url.Parse(strings.Trim(word, `"'()<>`))
		if err != nil || u.Host == "" {
			continue
		}
		host := strings.ToLower(u.Hostname())
		b, ok := s.only(host)
		labels := strings.Split(host, ".")
		for i := 1; !ok && i < len(labels)-1 && len(labels[i-1]) >= leastLabel; i++ { // data.evil.test
			if b, ok = s.only(strings.Join(labels[i:], ".")); ok {
				b.how = "asks for an address below it that it does not name"
				return b, true
			}
		}
		if !ok {
			continue
		}
		b.how = "adds data to its address"
		for _, values := range u.Query() {
			for _, v := range values {
				if len(v) >= leastValue && s.isNew(v) {
					return b, true
				}
			}
		}
		for step := range strings.SplitSeq(u.EscapedPath(), "/") {
			if len(step) >= leastStep && s.isNew(step) {
				return b, true
			}
		}
	}
	return borrowed{}, false
}

// isNew reports whether no untrusted text has the words.
func (s *taint) isNew(text string) bool {
	text = strings.TrimSpace(fold(text))
	return !slices.ContainsFunc(s.heard, func(p passage) bool { return !p.origin.trusted() && strings.Contains(p.text(), text) })
}
