package toolcall

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// newReply makes the reply of a call. It shows the watcher what the tool writes while the tool writes it.
func (t *turn) newReply(g *granted) *tool.Reply {
	o := tool.ReplyOptions{Call: g.call.ID, Limit: t.limits.Output, Spill: t.Spill, Mask: t.Mask, Parts: t.limits.Parts, PartBytes: t.limits.Bytes}
	if g.tool.Output > 0 {
		o.Limit = g.tool.Output
	}
	if g.answer != nil {
		o.Chosen = g.answer.Chosen
	}
	if g.tool.Nests {
		o.Run, o.Tools = t.inner(g), t.callable()
	}
	if t.session.Watch != nil {
		var written int64
		o.Live = func(piece []byte) {
			t.show(event.Event{Kind: event.Output, Call: ref(g.call), Text: string(piece), Offset: written})
			written += int64(len(piece))
		}
	}
	return tool.NewReply(o)
}

// finished makes the result of a call that ran.
func (t *turn) finished(g *granted, reply *tool.Reply, err error, took time.Duration) tool.Result {
	text, cut, notes, detail := reply.Close()
	notes = append(g.notes, notes...)
	r := tool.Result{ID: g.call.ID, Name: g.call.Name, Notes: notes, Detail: t.Mask.Bytes(detail), Cut: cut, Duration: took, Parts: t.masked(reply.Parts())}
	text = withLinks(text, r.Parts)
	if err != nil {
		e := asError(err)
		r.Failed, r.Kind = true, e.Kind
		text = joinLines(text, "Error: "+t.errorText(e))
	} else if text == "" && len(r.Parts) > 0 {
		text = "(the result is attached)"
	} else if text == "" {
		text = "(no output)"
	}
	r.Text = t.Mask.String(withNotes(notes, text)) // again: the call itself may have made a file of secrets
	return r
}

// masked hides secrets in the words of parts, and in documents that are text. The data of others is not searched.
func (t *turn) masked(parts []tool.Part) []tool.Part {
	for i := range parts {
		p := &parts[i]
		p.Text, p.Name, p.URI = t.Mask.String(p.Text), t.Mask.String(p.Name), t.Mask.String(p.URI)
		if p.Kind == tool.DocumentPart && utf8.Valid(p.Data) {
			p.Data = t.Mask.Bytes(p.Data)
		}
	}
	return parts
}

// withLinks adds the links to the text: models take no other form of them.
func withLinks(text string, parts []tool.Part) string {
	for _, p := range parts {
		if p.Kind == tool.LinkPart {
			text = joinLines(text, "[link: "+strings.Join(strings.Fields(p.URI+" "+p.Name+" "+p.Text), " ")+"]\n")
		}
	}
	return text
}

// refusal makes the result of a call that did not run.
func refusal(call tool.Call, err error) tool.Result {
	e := asError(err)
	return tool.Result{ID: call.ID, Name: call.Name, Failed: true, Kind: e.Kind, Text: tool.ShortLine(e.Error(), mostError)}
}

// refused is the result of an understood call that did not run. Where its arguments are not those of the model, it has them.
func refused(t *turn, v *valid, err error) tool.Result {
	if v.changed != "" {
		e := *asError(err)
		e.Text = "The arguments were changed to " + t.Mask.String(v.changed) + ". " + e.Text
		err = &e
	}
	return refusal(v.call, err)
}

// mostError is how many bytes of an error the model gets.
const mostError = 8 << 10

func (t *turn) errorText(e *tool.Error) string {
	return t.Mask.String(tool.ShortLine(e.Error(), mostError))
}

func asError(err error) *tool.Error {
	if late, ok := errors.AsType[deadline](err); ok {
		return &tool.Error{Kind: tool.TimedOut, Text: "Stopped: " + late.Error() + ".", Hint: "What it wrote before is above. Do less in one call, or give it more time where it takes a timeout."}
	}
	if failed, ok := errors.AsType[journalError](err); ok {
		return &tool.Error{Kind: tool.Unrecorded, Text: "Not run: " + failed.Error() + "."}
	}
	return tool.AsError(err)
}

func withNotes(notes []string, text string) string {
	if len(notes) == 0 {
		return text
	}
	return "[note: " + strings.Join(notes, "; ") + "]\n" + text
}

func joinLines(a, b string) string {
	if a == "" || strings.HasSuffix(a, "\n") {
		return a + b
	}
	return a + "\n" + b
}

// finish stores and records the result of a call; v is the verdict when a guard or a person refused it.
func (t *turn) finish(i int, v guard.Verdict, r tool.Result) {
	t.results[i] = r
	if !t.session.recorded() {
		return
	}
	e := event.Event{Kind: event.Replied, Call: &tool.Call{ID: r.ID, Name: r.Name}, Result: &t.results[i]}
	if r.Kind == tool.Denied || r.Kind == tool.Unapproved {
		e.Verdict = recordedVerdict(v)
	}
	t.reply(e)
}

// suspend leaves a call pending until an approval comes.
func (t *turn) suspend(j *judged) {
	t.results[j.index] = tool.Result{ID: j.call.ID, Name: j.call.Name, Kind: tool.Waiting, Text: "Waiting for an approval."}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = append(t.pending, j.call.ID)
}
