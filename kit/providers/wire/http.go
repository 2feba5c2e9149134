// Package wire holds what the protocols of providers have in common: requests over HTTP, streams of events, errors in the words of
// many servers, names and schemas of tools as a provider takes them. A protocol is an encoder and a [Decoder] around [HTTP].
package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rein/model"
)

// HTTP is what adapters of HTTP protocols have in common: where they send and how they read what comes. Its String and what
// fails on the way never show the key.
type HTTP struct {
	Who    model.Info
	Base   string // URL without a slash at its end, up to what the protocol adds
	Key    string // may be empty; sent as the protocol wants
	Header http.Header

	// Transport sends the requests. Nil means the network, with the proxy of HTTPS_PROXY; others are for recordings and tests.
	Transport http.RoundTripper
	// Idle is how long a stream may be silent; zero means 120 s.
	Idle time.Duration
}

// Info implements Model.
func (h *HTTP) Info() model.Info { return h.Who }

// String returns the model and the address, without the key.
func (h *HTTP) String() string {
	u, err := url.Parse(h.Base)
	if err != nil {
		return h.Who.String()
	}
	return h.Who.String() + " at " + u.Redacted()
}

// GoString is String: a key is not to be seen in any format.
func (h *HTTP) GoString() string { return h.String() }

// Bearer returns the header with the key, for the protocols that take it so; empty without a key.
func (h *HTTP) Bearer() http.Header {
	header := http.Header{}
	if h.Key != "" {
		header.Set("Authorization", "Bearer "+h.Key)
	}
	return header
}

// Decoder reads the answer to one request. It is made for each stream.
type Decoder interface {
	// Event reads one event and emits its chunks. kind is its "event:" line, or nil; the bytes are only valid during the
	// call. io.EOF means that the answer is whole and nothing more is to be read.
	Event(kind, data []byte, emit func(model.Chunk)) error
	// Done returns the last chunk when nothing more comes, or an error when the answer is not whole.
	Done(emit func(model.Chunk)) (model.Chunk, error)
}

// Post is one request of an HTTP protocol.
type Post struct {
	Path    string
	Header  http.Header // besides HTTP.Header
	Body    [][]byte    // sent one after the other
	Sent    *Sent       // of the tools; nil when there are none
	Notices []string    // for the user: what was changed of the request
	Decoder Decoder
	Refused error // why nothing is sent; nil: it is
}

// Pieces returns head and the messages after it, each as it was kept under this key (see Message.Encoded). encode writes a
// message with a comma before it; the first one in a list loses it.
func Pieces(head []byte, messages []*model.Message, key string, encode func(*model.Message) []byte) [][]byte {
	pieces := append(make([][]byte, 0, len(messages)+4), head)
	first := bytes.HasSuffix(head, []byte{'['})
	for _, m := range messages {
		b := m.Encoded(key, encode)
		if first && len(b) > 0 {
			b, first = b[1:], false
		}
		pieces = append(pieces, b)
	}
	return pieces
}

// ErrUnfinished is what a Decoder's Done returns when the stream ended before the answer.
var ErrUnfinished = errors.New("the stream ended before the answer was whole")

// Stream posts what prepare makes when the loop starts and yields the answer.
func (h *HTTP) Stream(ctx context.Context, prepare func() Post) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		left := false
		emit := func(c model.Chunk) {
			if !left && !yield(c, nil) {
				left = true
			}
		}
		post := prepare()
		for _, note := range append(post.Notices, post.Sent.news()...) {
			emit(model.Chunk{Kind: model.Notice, Text: note})
		}
		if left {
			return
		}
		if post.Refused != nil {
			yield(model.Chunk{}, post.Refused)
			return
		}
		last, err := h.exchange(ctx, post, emit, &left)
		switch {
		case left:
		case err != nil:
			yield(model.Chunk{}, h.explain(post, Failure(ctx, h.Who.Provider, h.Key, err)))
		default:
			yield(last, nil)
		}
	}
}

// explain adds the address to what was not found: mostly it is the address that is wrong.
func (h *HTTP) explain(p Post, err error) error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotFound {
		if u, err := url.Parse(h.Base + p.Path); err == nil {
			e.Text += " (asked " + u.Redacted() + " for " + h.Who.Name + ")"
		}
	}
	return err
}

func (h *HTTP) exchange(ctx context.Context, p Post, emit func(model.Chunk), left *bool) (model.Chunk, error) {
	if h.Base == "" {
		return model.Chunk{}, &model.Error{Provider: h.Who.Provider, Kind: model.BadRequest, Text: "no address of the server is set (HTTP.Base)"}
	}
	header := h.Header.Clone()
	if header == nil {
		header = make(http.Header, 4)
	}
	maps.Copy(header, p.Header)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "text/event-stream, application/json")
	client := client{Transport: h.Transport, Idle: h.Idle}
	s, err := client.Post(ctx, h.Base+p.Path, header, p.Body...)
	if err != nil {
		return h.recovered(p.Decoder, err, emit)
	}
	defer s.Close()
	body, form := sniff(s)
	answered := false
	show := func(c model.Chunk) { answered = true; emit(c) }
	if form == wholeAnswer {
		err = whole(body, p.Decoder, show)
	} else {
		err = events(body, p.Decoder, show, left)
	}
	if *left || err != nil && (form == wholeAnswer || ctx.Err() != nil || byProvider(err)) {
		return model.Chunk{}, err
	}
	last, unfinished := p.Decoder.Done(emit)
	switch {
	case unfinished == nil:
	case err != nil:
		return model.Chunk{}, err
	case form != eventStream && !answered:
		return model.Chunk{}, h.foreign(body)
	default:
		return model.Chunk{}, unfinished
	}
	p.Sent.restore(last.Message)
	if err == nil {
		s.Drain()
	}
	return last, nil
}

// byProvider reports whether the provider itself reported the failure. Any other error does not matter once a stream's answer is whole; an
// answer of one value is never whole after one.
func byProvider(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && e.Kind != model.Garbage
}

// Recoverer is a Decoder that can make an answer of a refused request's body: a server that could not parse its model's call
// puts the model's text there.
type Recoverer interface {
	Recover(body []byte) bool
}

func (h *HTTP) recovered(d Decoder, err error, emit func(model.Chunk)) (model.Chunk, error) {
	if status, ok := errors.AsType[*statusError](err); ok {
		if r, ok := d.(Recoverer); ok && r.Recover(status.Body) {
			return d.Done(emit)
		}
	}
	return model.Chunk{}, err
}

// whole reads an answer that came as one JSON value, from a server that does not stream.
func whole(s io.Reader, d Decoder, emit func(model.Chunk)) error {
	body, err := io.ReadAll(s)
	if err != nil {
		return err
	}
	return ignoreEOF(d.Event(nil, bytes.TrimSpace(body), emit))
}

func events(s io.Reader, d Decoder, emit func(model.Chunk), left *bool) error {
	r := newReader(s)
	for !*left {
		if err := r.Next(); err != nil {
			return ignoreEOF(err)
		}
		if err := d.Event(r.Type(), r.Data(), emit); err != nil {
			return ignoreEOF(err)
		}
	}
	return nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Garbled returns the error for an event that is not what the protocol promises.
func (h *HTTP) Garbled(data []byte, err error) *model.Error {
	text := err.Error()
	if len(data) > 0 {
		text += ": " + strings.ToValidUTF8(string(data[:min(len(data), 120)]), "")
	}
	return &model.Error{Provider: h.Who.Provider, Kind: model.Garbage, Text: hide(text, h.Key), Err: err}
}

// errTwice is the error for a stream that begins a second answer.
var errTwice = errors.New("a second answer begins inside the stream")

// Twice returns the error for a stream that begins a second answer, as a proxy makes it that asks again by itself: the calls of both together
// are no answer.
func (h *HTTP) Twice() *model.Error { return h.Garbled(nil, errTwice) }

// Fault returns the error that a provider reported inside a stream.
func (h *HTTP) Fault(body []byte) *model.Error { return Fault(h.Who.Provider, h.Key, 0, nil, body) }
