package api

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Cursor says what a client has: for each session the number of the last event. It is the id of the stream's messages.
type Cursor map[string]int64

// maxCursor bounds the sessions of one cursor.
const maxCursor = 500

// String writes the cursor as Parse reads it.
func (c Cursor) String() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c)) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(id)
		b.WriteByte(':')
		b.WriteString(strconv.FormatInt(c[id], 10))
	}
	return b.String()
}

// ParseCursor reads a cursor; "" is an empty one.
func ParseCursor(text string) (Cursor, error) {
	c := Cursor{}
	if text == "" {
		return c, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > maxCursor {
		return nil, fmt.Errorf("a cursor of %d sessions; at most %d", len(parts), maxCursor)
	}
	for _, part := range parts {
		id, number, ok := strings.Cut(part, ":")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil || n < 0 || id == "" {
			return nil, fmt.Errorf("the cursor has a part %.80q that is not SESSION:NUMBER", part)
		}
		c[id] = n
	}
	return c, nil
}
