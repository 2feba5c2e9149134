package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// exporter sends what was reported. One goroutine sends; nobody waits for it but close.
type exporter struct {
	t      *Telemetry
	begin  *sync.Once // starts the goroutine
	mu     *sync.Mutex
	queued *queues
	wake   chan struct{} // has room for one
	stop   chan struct{}
	ended  chan struct{}
	work   context.Context // of requests; done when the program does not wait any more
	cancel context.CancelFunc
	told   bool // a failure was reported

	traces, metrics, logs *sender
}

// queues are what waits.
type queues struct {
	started bool
	closed  bool
	spans   []*span
	logs    []record
}

// record is an occurrence and the span that it belongs to.
type record struct {
	occurrence
	in *span
}

// batch is how many spans or records are sent before their time.
const batch = 512

func newExporter(t *Telemetry) exporter {
	e := exporter{t: t, begin: &sync.Once{}, mu: &sync.Mutex{}, queued: &queues{}, wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	e.work, e.cancel = context.WithCancel(context.Background())
	e.traces, e.metrics, e.logs = newSender(t.env.traces), newSender(t.env.metrics), newSender(t.env.logs)
	return e
}

// span takes a span that has ended.
func (e *exporter) span(s *span) {
	if e.t.env.traces.sends() && !s.spanContext.dropped {
		e.put(func(q *queues) int {
			if len(q.spans) < e.t.env.queue {
				q.spans = append(q.spans, s)
			}
			return len(q.spans)
		})
	}
	e.start()
}

// log takes what happened in a span.
func (e *exporter) log(o occurrence, in *span) {
	if e.t.env.logs.sends() {
		e.put(func(q *queues) int {
			if len(q.logs) < e.t.env.queue {
				q.logs = append(q.logs, record{o, in})
			}
			return len(q.logs)
		})
		e.start()
	}
}

func (e *exporter) put(add func(*queues) (waiting int)) {
	e.mu.Lock()
	waiting := add(e.queued)
	e.mu.Unlock()
	if waiting >= batch {
		select {
		case e.wake <- struct{}{}:
		default:
		}
	}
}

// start starts the goroutine, unless it runs or nothing is sent.
func (e *exporter) start() {
	if !e.t.env.sends() {
		return
	}
	e.begin.Do(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.queued.closed {
			e.queued.started = true
			go e.run()
		}
	})
}

func (e *exporter) run() {
	defer close(e.ended)
	spans, metrics := time.NewTicker(e.t.env.delay), time.NewTicker(e.t.env.interval)
	defer spans.Stop()
	defer metrics.Stop()
	for {
		select {
		case <-e.wake:
			e.flush()
		case <-spans.C:
			e.flush()
		case <-metrics.C:
			e.flush()
			e.measure()
		case <-e.stop:
			return
		}
	}
}

// flush sends the spans and the log records that wait.
func (e *exporter) flush() {
	e.mu.Lock()
	spans, logs := e.queued.spans, e.queued.logs
	e.queued.spans, e.queued.logs = nil, nil
	e.mu.Unlock()
	items := make([]message, len(spans))
	for i, s := range spans {
		items[i] = s.encode()
	}
	e.send(e.traces, "traces", items)
	items = make([]message, len(logs))
	for i, l := range logs {
		items[i] = l.encode(l.in)
	}
	e.send(e.logs, "logs", items)
}

// measure sends the metrics.
func (e *exporter) measure() {
	if e.metrics.to.sends() {
		if !e.t.counts.delta {
			e.metrics.again = nil // the new ones have all
		}
		e.send(e.metrics, "metrics", e.t.counts.collect(time.Now()))
	}
}

// closeTime is how long close waits.
const closeTime = 3 * time.Second

// close sends what is left and ends the goroutine.
func (e *exporter) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	defer context.AfterFunc(ctx, e.cancel)()
	e.mu.Lock()
	first, started := !e.queued.closed, e.queued.started
	e.queued.closed = true
	e.mu.Unlock()
	if !first || !started {
		return
	}
	close(e.stop)
	<-e.ended
	e.traces.later, e.logs.later, e.metrics.later = time.Time{}, time.Time{}, time.Time{}
	e.flush()
	e.measure()
	e.cancel()
	for _, s := range []*sender{e.traces, e.metrics, e.logs} {
		s.client.CloseIdleConnections()
	}
}

// send sends items of a signal, and those that could not be sent before. What fails for a while is kept, up to the bound of the queue.
func (e *exporter) send(s *sender, signal string, items []message) {
	items = append(s.again, items...)
	items = items[max(0, len(items)-e.t.env.queue):]
	s.again = nil
	if !s.to.sends() || len(items) == 0 {
		return
	}
	if time.Now().Before(s.later) {
		s.again = items
		return
	}
	body := envelope(e.t.env.resource, e.t.options.Version, items)
	err := s.post(e.work, body)
	if err == nil {
		s.failures = 0
		return
	}
	if !e.told {
		e.told = true
		e.t.options.Warn(fmt.Sprintf("telemetry: %s cannot be sent: %v", signal, err))
	}
	if f, ok := errors.AsType[refusal](err); !ok || f.again {
		s.again, s.failures = items, s.failures+1
		s.later = time.Now().Add(max(f.after, min(time.Minute, time.Second<<min(s.failures, 6))))
	}
}

// sender sends one signal. Only one goroutine uses it.
type sender struct {
	to       destination
	client   *http.Client
	again    []message // to be sent again
	later    time.Time // not before
	failures int       // in a row
}

func newSender(to destination) *sender {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: to.tls, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}
	if to.grpc {
		transport.Protocols = &http.Protocols{}
		transport.Protocols.SetHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	return &sender{to: to, client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// refusal is an answer of a receiver that is no success.
type refusal struct {
	text  string
	again bool // the same may succeed later
	after time.Duration
}

func (r refusal) Error() string { return r.text }

// mostAnswer is how many bytes of an answer are read.
const mostAnswer = 64 << 10

// post sends one message. OTLP over gRPC is the same message over HTTP/2, with five bytes before it and the status in the trailers.
func (s *sender) post(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.to.timeout)
	defer cancel()
	if s.to.gzip {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return refusal{text: err.Error()}
		}
		body = b.Bytes()
	}
	if s.to.grpc {
		head := make([]byte, 5, 5+len(body))
		if s.to.gzip {
			head[0] = 1
		}
		binary.BigEndian.PutUint32(head[1:], uint32(len(body)))
		body = append(head, body...)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.url, bytes.NewReader(body))
	if err != nil {
		return refusal{text: err.Error()}
	}
	r.Header = s.to.headers.Clone()
	r.Header.Set("User-Agent", "OTel-OTLP-Exporter-rein")
	switch {
	case s.to.grpc:
		r.Header.Set("Content-Type", "application/grpc")
		r.Header.Set("TE", "trailers")
		if s.to.gzip {
			r.Header.Set("Grpc-Encoding", "gzip")
		}
	default:
		r.Header.Set("Content-Type", "application/x-protobuf")
		if s.to.gzip {
			r.Header.Set("Content-Encoding", "gzip")
		}
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return err
	}
	return s.to.check(answer, text)
}

// check reads an answer.
func (d destination) check(answer *http.Response, text []byte) error {
	after, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	wait := min(time.Duration(after)*time.Second, 5*time.Minute)
	if answer.StatusCode != http.StatusOK {
		code := answer.StatusCode
		return refusal{fmt.Sprintf("the receiver answered %s", answer.Status), code == 429 || code == 502 || code == 503 || code == 504, wait}
	}
	if d.grpc {
		status := answer.Trailer.Get("Grpc-Status")
		if status == "" {
			status = answer.Header.Get("Grpc-Status") // an answer without a message
		}
		switch status {
		case "0":
			text = text[min(len(text), 5):]
		case "1", "4", "8", "10", "11", "14", "15":
			return refusal{"the receiver answered with gRPC status " + status, true, wait}
		default:
			return refusal{"the receiver answered with gRPC status " + strconv.Quote(status), false, 0}
		}
	}
	if len(text) > 2 { // an ExportPartialSuccess
		return refusal{text: "the receiver did not take everything"}
	}
	return nil
}
