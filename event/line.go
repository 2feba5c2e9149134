package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"rein/internal/jsonscan"
	"rein/tool"
)

// Line appends the event to dst as one line of JSON with its line break. The result means what encoding/json makes of the event. Every
// step of a call is such a line, so Line writes by itself what is in many lines; it checks and copies a message, a call's
// arguments and a result's detail, which are JSON already, and does not decode them. An error means that one of them is no JSON;
// dst is then unchanged.
func (e *Event) Line(dst []byte) ([]byte, error) {
	l := line{out: dst}
	l.key("kind", '{')
	l.string(string(e.Kind))
	l.time("time", e.Time)
	l.number("seq", e.Seq)
	l.number("format", int64(e.Format))
	l.text("session", e.Session)
	l.text("parent", e.Parent)
	l.text("parent_call", e.ParentCall)
	l.text("within", e.Within)
	l.number("turn", int64(e.Turn))
	l.text("text", e.Text)
	l.number("offset", e.Offset)
	l.call(e.Call)
	value(&l, "intent", e.Intent)
	value(&l, "verdict", e.Verdict)
	value(&l, "grant", e.Grant)
	value(&l, "answer", e.Answer)
	l.text("reason", string(e.Reason))
	l.result(e.Result)
	l.text("child", e.Child)
	value(&l, "sub_agent", e.SubAgent)
	value(&l, "request", e.Request)
	value(&l, "usage", e.Usage)
	value(&l, "start", e.Start)
	l.text("stop", string(e.Stop))
	value(&l, "compaction", e.Compaction)
	value(&l, "files", e.Files)
	list(&l, "tools", e.Tools)
	l.number("at", e.At)
	value(&l, "origin", e.Origin)
	value(&l, "hook", e.Hook)
	value(&l, "review", e.Review)
	list(&l, "blobs", e.Blobs)
	l.raw("message", e.Message)
	if l.err != nil {
		return dst, l.err
	}
	return append(l.out, "}\n"...), nil
}

func (l *line) call(c *tool.Call) {
	if c == nil {
		return
	}
	l.open("call", c.ID, c.Name)
	if len(c.Args) == 0 {
		l.out = append(l.out, `,"args":null`...)
	}
	l.raw("args", c.Args)
	l.flag("truncated", c.Truncated)
	l.out = append(l.out, '}')
}

func (l *line) result(r *tool.Result) {
	if r == nil {
		return
	}
	l.open("result", r.ID, r.Name)
	l.key("text", ',')
	l.string(r.Text)
	list(l, "parts", r.Parts)
	l.flag("failed", r.Failed)
	l.text("kind", string(r.Kind))
	list(l, "notes", r.Notes)
	l.raw("detail", r.Detail)
	value(l, "cut", r.Cut)
	l.number("duration_ns", int64(r.Duration))
	l.out = append(l.out, '}')
}

// line is a line that is being written. What is empty is left out.
type line struct {
	out []byte
	err error // the first
}

func (l *line) failed(err error) {
	if l.err == nil {
		l.err = err
	}
}

// key writes the key of a member, with what is before it.
func (l *line) key(key string, before byte) {
	l.out = append(append(append(l.out, before, '"'), key...), `":`...)
}

// open begins an object that has an id and a name.
func (l *line) open(key, id, name string) {
	l.key(key, ',')
	l.key("id", '{')
	l.string(id)
	l.key("name", ',')
	l.string(name)
}

// string writes a string; most of them need no escape.
func (l *line) string(s string) {
	for i := range len(s) {
		if b := s[i]; b < ' ' || b > '~' || b == '"' || b == '\\' {
			l.encode(s)
			return
		}
	}
	l.out = append(append(append(l.out, '"'), s...), '"')
}

func (l *line) text(key, s string) {
	if s != "" {
		l.key(key, ',')
		l.string(s)
	}
}

func (l *line) time(key string, at time.Time) {
	l.key(key, ',')
	out, err := at.AppendText(append(l.out, '"'))
	l.failed(err)
	l.out = append(out, '"')
}

func (l *line) number(key string, n int64) {
	if n != 0 {
		l.key(key, ',')
		l.out = strconv.AppendInt(l.out, n, 10)
	}
}

func (l *line) flag(key string, is bool) {
	if is {
		l.key(key, ',')
		l.out = append(l.out, "true"...)
	}
}

// raw writes JSON in one line.
func (l *line) raw(key string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	if !jsonscan.Valid(value) {
		l.failed(errors.New("a message, arguments or a detail that are no JSON"))
		return
	}
	l.key(key, ',')
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		l.out = append(l.out, value...)
		return
	}
	var b bytes.Buffer
	l.failed(json.Compact(&b, value))
	l.out = append(l.out, b.Bytes()...)
}

// value writes what is in few lines.
func value[T any](l *line, key string, v *T) {
	if v != nil {
		l.key(key, ',')
		l.encode(v)
	}
}

func list[T any](l *line, key string, all []T) {
	if len(all) > 0 {
		l.key(key, ',')
		l.encode(all)
	}
}

func (l *line) encode(v any) {
	enc := json.NewEncoder(l)
	enc.SetEscapeHTML(false)
	l.failed(enc.Encode(v))
	l.out = bytes.TrimSuffix(l.out, []byte("\n"))
}

// Write takes what encoding/json writes.
func (l *line) Write(b []byte) (int, error) {
	l.out = append(l.out, b...)
	return len(b), nil
}
