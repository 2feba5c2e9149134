package text

import (
	_ "embed"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// reasons has what checks say, in English and in Chinese: % in the English words is what is not known beforehand, %1 in the Chinese ones is the
// first of it, and {1} is it in Chinese where it is a reason itself. The page has the same table.
//
//go:embed reasons.zh.txt
var reasons string

// reasonRow is a row of the table.
type reasonRow struct {
	fits    *regexp.Regexp
	chinese string
	known   int // bytes of its words
	ends    bool
}

var reasonRows = sync.OnceValue(func() (rows []reasonRow) {
	for line := range strings.Lines(reasons) {
		english, chinese, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(english), "%", "(.+?)")
		if rest, ok := strings.CutPrefix(pattern, "(.+?)"); ok { // the name of something, not the words of another reason
			pattern = `(\S+)` + rest
		}
		ends := strings.HasPrefix(english, ", ") // it follows another reason
		if ends {
			pattern, chinese = "(.+)"+pattern, "{0}"+chinese
		}
		rows = append(rows, reasonRow{regexp.MustCompile("(?s)^" + pattern + "$"), chinese, len(strings.ReplaceAll(english, "%", "")), ends})
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].known > rows[j].known })
	return rows
})

var (
	programReason = regexp.MustCompile(`(?s)^([^\s:]+): (.+)$`)
	reasonPart    = regexp.MustCompile(`%[1-9]|\{[0-9]\}`)
)

// Reason is why a check decided as it did, in the language. One of which a part is not known, as the words of an own rule, stays English.
func (w Words) Reason(english string) string {
	if w != nil {
		if own, ok := chineseReason(english); ok {
			return own
		}
	}
	return english
}

// chineseReason translates a reason; ok is false where the table lacks a part of it.
func chineseReason(reason string) (words string, ok bool) {
	parts := strings.Split(reason, "; ")
	for i, part := range parts {
		if parts[i], ok = chinesePart(part); !ok {
			return "", false
		}
	}
	return strings.Join(parts, "；"), true
}

func chinesePart(reason string) (words string, ok bool) {
	if m := programReason.FindStringSubmatch(reason); m != nil {
		if words, ok := chinesePart(m[2]); ok {
			return m[1] + "：" + words, true
		}
	}
	for _, row := range reasonRows() {
		if found := row.fits.FindStringSubmatch(reason); found != nil {
			return row.fill(found[1:]), true
		}
	}
	return "", false
}

// fill puts what was found into the Chinese words.
func (r *reasonRow) fill(found []string) string {
	return reasonPart.ReplaceAllStringFunc(r.chinese, func(part string) string {
		n := int(part[1] - '0')
		if !r.ends {
			n--
		}
		if n >= len(found) {
			return ""
		}
		if words, ok := chinesePart(found[n]); ok && part[0] == '{' {
			return words
		}
		return found[n]
	})
}
