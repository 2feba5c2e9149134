package memory

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Name is an id as people and models write it: "m12".
func Name(id int64) string { return "m" + strconv.FormatInt(id, 10) }

// ParseName reads an id, with the letter or without it.
func ParseName(name string) (int64, bool) {
	id, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(name), "m"), 10, 64)
	return id, err == nil && id > 0
}

// shown is a name for an error text.
func shown(name string) string {
	if len(name) > 20 {
		name = name[:20]
	}
	return strconv.Quote(name)
}

// ParseTime reads a day, an instant, or how long ago: "2026-11-22", "2026-11-22T10:00:00Z", "7d", "12h".
func ParseTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%s is not a time: expected 2026-11-22, 2026-11-22T10:00:00Z, 7d or 12h", shown(text))
}

// Line is an entry in one line, with at most this many bytes of its text.
func (e Entry) Line(most int) string {
	text := strings.Join(strings.Fields(e.Text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	about := []string{e.Category, e.Created.Format(time.DateOnly)}
	if e.Scope == User {
		about = append(about, "all projects")
	}
	about = append(about, "importance "+strconv.Itoa(e.Importance))
	if len(e.Tags) > 0 {
		about = append(about, strings.Join(e.Tags, " "))
	}
	if e.Proposed {
		about = append(about, "proposed, not confirmed")
	}
	return fmt.Sprintf("%s (%s) %s", Name(e.ID), strings.Join(about, ", "), text)
}
