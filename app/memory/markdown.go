package memory

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rein/kit/tools/memory"
)

// Write writes entries as Markdown that people can read and change, and that Read reads.
func Write(w io.Writer, all []memory.Entry) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "# Memory")
	for _, e := range all {
		fmt.Fprintf(out, "\n## %s\n\n", memory.Name(e.ID))
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(out, "- %s: %s\n", name, value)
			}
		}
		field("scope", e.Scope)
		field("project", e.Project)
		field("category", e.Category)
		field("importance", strconv.Itoa(e.Importance))
		field("tags", strings.Join(e.Tags, " "))
		field("created", e.Created.UTC().Format(time.RFC3339))
		if !e.Expires.IsZero() {
			field("expires", e.Expires.UTC().Format(time.RFC3339))
		}
		field("source", e.Source)
		field("by", e.By)
		if e.Proposed {
			field("proposed", strings.TrimSpace("yes "+strings.Join(strings.Fields(e.Why), " ")))
		}
		fmt.Fprintln(out)
		for line := range strings.SplitSeq(e.Text, "\n") {
			if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, `\`) {
				line = `\` + line
			}
			fmt.Fprintln(out, line)
		}
	}
	return out.Flush()
}

// Read reads what Write wrote, also after a person has changed it. A section without fields is an entry of the user. keepIDs
// keeps the ids of the headings: for a change in place.
func Read(r io.Reader, keepIDs bool) (all []memory.Entry, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var e *memory.Entry
	var text []string
	fields := false // the lines of fields have not ended
	end := func() {
		if e != nil {
			e.Text = strings.TrimSpace(strings.Join(text, "\n"))
			all = append(all, *e)
		}
		text = nil
	}
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		heading, isHeading := strings.CutPrefix(line, "## ")
		switch {
		case isHeading:
			end()
			e, fields = &memory.Entry{Scope: memory.User, Importance: 5, By: "user"}, true
			if id, ok := memory.ParseName(heading); ok && keepIDs {
				e.ID = id
			}
		case e == nil:
		case fields && strings.HasPrefix(line, "- "):
			if err := field(e, line[2:]); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		case fields && strings.TrimSpace(line) == "" && len(text) == 0:
			fields = e.Created.IsZero() && e.Category == "" // an empty line before the first field
		default:
			fields = false
			text = append(text, strings.TrimPrefix(line, `\`))
		}
	}
	end()
	return all, lines.Err()
}

// field sets a field of an entry from "name: value".
func field(e *memory.Entry, line string) (err error) {
	name, value, _ := strings.Cut(line, ":")
	switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
	case "scope":
		e.Scope = value
	case "project":
		if !filepath.IsAbs(value) {
			return fmt.Errorf("the project %q is not an absolute path", value)
		}
		e.Project = filepath.Clean(value)
	case "category":
		e.Category = value
	case "importance":
		e.Importance, err = strconv.Atoi(value)
	case "tags":
		e.Tags = splitTags(value)
	case "created":
		e.Created, err = time.Parse(time.RFC3339, value)
	case "expires":
		e.Expires, err = memory.ParseTime(value, time.Now())
	case "source":
		e.Source = value
	case "by":
		e.By = value
	case "proposed":
		word, why, _ := strings.Cut(value, " ")
		e.Proposed, e.Why = word == "yes", why
	default:
		return fmt.Errorf("there is no field %q", name)
	}
	return err
}
