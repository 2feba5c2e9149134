package git

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rein/tool"
)

// blamed is what is known of a commit while its lines are read.
type blamed struct{ author, date, summary string }

// writeBlame writes git's blame in its format for programs as one line for each line of the file. It returns their number.
func writeBlame(out string, r *tool.Reply) int {
	commits := map[string]*blamed{}
	var now *blamed
	hash, line, n, written := "", "", 0, 0
	for text := range strings.SplitSeq(out, "\n") {
		if code, ok := strings.CutPrefix(text, "\t"); ok {
			if now == nil || written > answerBytes {
				continue
			}
			shown := printable(fmt.Sprintf("%s %s %-14.14s %5s  %s", hash[:min(len(hash), 8)], now.date, now.author, line, strings.TrimSuffix(code, "\r")))
			fmt.Fprintln(r, shown)
			n, written = n+1, written+len(shown)
			if written > answerBytes {
				fmt.Fprintf(r, "… the answer is full: name lines from %s\n", line)
			}
			continue
		}
		key, value, _ := strings.Cut(text, " ")
		if f := strings.Fields(value); len(key) >= 40 && len(f) >= 2 {
			hash, line = key, f[1]
			if now = commits[hash]; now == nil {
				now = &blamed{}
				commits[hash] = now
			}
			continue
		}
		now.set(key, value)
	}
	return n
}

func (b *blamed) set(key, value string) {
	if b == nil {
		return
	}
	switch key {
	case "author":
		b.author = value
	case "author-time":
		if s, err := strconv.ParseInt(value, 10, 64); err == nil {
			b.date = time.Unix(s, 0).UTC().Format(time.DateOnly)
		}
	case "summary":
		b.summary = value
	}
}
