package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"rein/app/server/api"
	"rein/event"
)

// Events returns the last events of a session and its sub-agents, then what happens, live text too, until ctx is done. When
// the connection breaks it connects again and continues where it was: each recorded event comes once, and the pieces of a live
// text follow each other without a gap: what of an answer did not come live comes with its recorded event, before it. Only of a
// long output some may be left out; Offset shows it. An error of the server ends the events; one of the network does not.
func (c *Client) Events(ctx context.Context, session string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		f := newFollower(yield)
		s := reader{client: c, watch: "s:" + session, take: f.take, fail: func(err error) { yield(event.Event{}, err) }}
		s.follow(ctx)
	}
}

// Requests returns the approval requests that wait in a workspace, all of them, and again each time when they have changed, until
// ctx is done. With several workspaces each comes separately.
func (c *Client) Requests(ctx context.Context) iter.Seq2[api.WorkspaceRequests, error] {
	return func(yield func(api.WorkspaceRequests, error) bool) {
		take := func(name, data string) bool {
			if name != "inbox" {
				return true
			}
			var r api.WorkspaceRequests
			if err := json.Unmarshal([]byte(data), &r); err != nil {
				return yield(r, fmt.Errorf("requests of the server: %w", err))
			}
			return yield(r, nil)
		}
		s := reader{client: c, watch: "inbox", take: take, fail: func(err error) { yield(api.WorkspaceRequests{}, err) }}
		s.follow(ctx)
	}
}

// Pauses before another connection is tried.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 5 * time.Second
)

// mostLine bounds one message of the stream.
const mostLine = 64 << 20

// reader reads the messages of one stream, over as many connections as it needs.
type reader struct {
	client *Client
	watch  string
	take   func(name, data string) bool // gets each message, and reports whether the reader wants more
	fail   func(error)                  // gets the error of the server that ends the stream
	lost   func(error) bool             // learns that a connection is lost, and reports whether to try again; nil: always
	cursor string
}

func (s *reader) follow(ctx context.Context) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longestPause) {
		got, err := s.connect(ctx)
		if errors.Is(err, errOver) || s.lost != nil && ctx.Err() == nil && !s.lost(err) {
			return
		}
		if got {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// errOver means that the stream is over: its reader wants no more, or the server refused it.
var errOver = errors.New("the stream is over")

// mostSilent is how long a connection may bring nothing: the server sends a message more often.
const mostSilent = 2*api.Heartbeat + api.WriteTime

// connect follows one connection. got reports whether it gave something, err why it ended.
func (s *reader) connect(ctx context.Context) (got bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(mostSilent, func() { cancel(fmt.Errorf("the server sent nothing for %v", mostSilent)) })
	defer silence.Stop()
	header := http.Header{}
	if s.cursor != "" {
		header.Set("Last-Event-ID", s.cursor)
	}
	answer, err := s.client.request(ctx, http.MethodGet, with(at("events"), "watch", s.watch), nil, header)
	if p, refused := err.(*Problem); refused && p.Status < 500 && p.Status != http.StatusTooManyRequests {
		s.fail(err)
		return false, errOver
	}
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, mostLine)
	id, name, data := "", "", ""
	for lines.Scan() {
		silence.Reset(mostSilent)
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			data = value
		case "": // the message is whole
			got = got || name != ""
			if !s.take(name, data) {
				return got, errOver
			}
			if id != "" {
				s.cursor = id
			}
			id, name, data = "", "", ""
		}
	}
	if err = context.Cause(ctx); err == nil {
		err = lines.Err()
	}
	return got, cmp.Or(err, io.EOF)
}

// follower keeps what came of live texts, so that each piece comes once.
type follower struct {
	yield   func(event.Event, error) bool
	texts   map[string]string      // what came of the live texts, by textKey
	torn    map[string]bool        // the live texts of which a piece is missing, by textKey
	whole   bool                   // what happened before the connection has come
	called  map[string]event.Event // the calls without a result, by their ids
	outputs map[string]int64       // how many bytes came of the outputs of calls, by their ids
	noticed map[string]time.Time   // of the last notice that is not recorded, by session
	places  map[string]event.Event // where sessions of sub-agents belong: an event of each
}

func newFollower(yield func(event.Event, error) bool) *follower {
	return &follower{yield: yield, texts: map[string]string{}, torn: map[string]bool{}, called: map[string]event.Event{}, outputs: map[string]int64{}, noticed: map[string]time.Time{}, places: map[string]event.Event{}}
}

// take takes one message.
func (f *follower) take(name, data string) bool {
	switch name {
	case "event":
		var e event.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return f.yield(e, fmt.Errorf("an event of the server: %w", err))
		}
		return f.event(e)
	case "snapshot":
		var now api.Live
		if err := json.Unmarshal([]byte(data), &now); err != nil {
			return f.yield(event.Event{}, fmt.Errorf("a snapshot of the server: %w", err))
		}
		return f.snapshot(now)
	}
	return true
}

func textKey(k event.Kind, session string) string { return string(k) + " " + session }

// event passes an event on, without what of a live text came already.
func (f *follower) event(e event.Event) bool {
	if e.Seq == 0 && (e.Kind == event.Notice || e.Kind == event.Restarted) {
		f.noticed[e.Session] = e.Time
	}
	if e.Parent != "" {
		f.places[e.Session] = event.Event{Parent: e.Parent, ParentCall: e.ParentCall}
	}
	switch e.Kind {
	case event.Requested, event.Restarted, event.Responded, event.Stopped:
		if !f.rest(e) {
			return false
		}
		f.forget(e.Session)
	case event.Called:
		if e.Call != nil {
			f.called[e.Call.ID] = e
		}
	case event.Replied:
		if e.Call != nil {
			delete(f.called, e.Call.ID)
			delete(f.outputs, e.Call.ID)
		}
	case event.Delta, event.Thought:
		key := textKey(e.Kind, e.Session)
		if e = after(e, int64(len(f.texts[key]))); e.Text == "" {
			return true
		}
		f.torn[key] = f.torn[key] || e.Offset > int64(len(f.texts[key]))
		f.texts[key] += e.Text
	case event.Output:
		if e.Call == nil {
			break
		}
		if e = after(e, f.outputs[e.Call.ID]); e.Text == "" {
			return true
		}
		f.outputs[e.Call.ID] = e.Offset + int64(len(e.Text))
	}
	return f.yield(e, nil)
}

// rest passes on what of a recorded answer has not come live, which happens where live text is lost. An answer that is asked for anew
// begins again, and so does one of which a piece is missing.
func (f *follower) rest(e event.Event) bool {
	key := textKey(event.Delta, e.Session)
	had := f.texts[key]
	again := event.Event{Kind: event.Restarted, Session: e.Session, Parent: e.Parent, ParentCall: e.ParentCall, Turn: e.Turn, Time: e.Time, Text: cutOff}
	switch {
	case !f.whole:
		return true
	case e.Kind == event.Requested && had != "":
		return f.yield(again, nil)
	case e.Kind != event.Responded || e.Stop != "":
		return true
	case f.torn[key]:
		if !f.yield(again, nil) {
			return false
		}
		had = ""
	}
	more, ok := strings.CutPrefix(e.Text, had)
	if !ok || more == "" {
		return true // the recorded text may be another one: a call that was written as text is not in it
	}
	again.Kind, again.Text, again.Offset = event.Delta, more, int64(len(had))
	return f.yield(again, nil)
}

// cutOff is why an answer begins again, as a Restarted says it.
const cutOff = "it was cut off"

// forget ends the live texts of a session.
func (f *follower) forget(session string) {
	for _, k := range []event.Kind{event.Delta, event.Thought} {
		delete(f.texts, textKey(k, session))
		delete(f.torn, textKey(k, session))
	}
}

// after cuts off what comes before a number of bytes of the live text.
func after(e event.Event, have int64) event.Event {
	if over := have - e.Offset; over > 0 {
		e.Text = e.Text[min(over, int64(len(e.Text))):]
		e.Offset = have
	}
	return e
}

// snapshot passes on what of the live texts has not come yet.
func (f *follower) snapshot(now api.Live) bool {
	f.whole = true
	for _, e := range now.Notices {
		if e.Time.After(f.noticed[e.Session]) && !f.event(e) {
			return false
		}
	}
	for _, a := range now.Answers {
		e := f.places[a.Session]
		if e.Parent == "" && a.Session != now.Session {
			e.Parent = now.Session // a sub-agent of which nothing came yet
		}
		e.Session, e.Turn, e.Time = a.Session, a.Turn, time.Now().UTC()
		if !strings.HasPrefix(a.Text, f.texts[textKey(event.Delta, a.Session)]) || !strings.HasPrefix(a.Thought, f.texts[textKey(event.Thought, a.Session)]) {
			e.Kind, e.Text = event.Restarted, cutOff // while there was no connection
			if !f.event(e) {
				return false
			}
		}
		e.Kind, e.Text = event.Thought, a.Thought
		if !f.event(e) {
			return false
		}
		e.Kind, e.Text = event.Delta, a.Text
		if !f.event(e) {
			return false
		}
	}
	for _, o := range now.Outputs {
		of, known := f.called[o.Call] // else the call is older than the events that came
		if known && !f.event(event.Event{Kind: event.Output, Session: o.Session, Parent: of.Parent, ParentCall: of.ParentCall, Turn: of.Turn, Time: time.Now().UTC(), Call: of.Call, Offset: o.Offset, Text: o.Text}) {
			return false
		}
	}
	return true
}
