package modelserver

import (
	"encoding/json"
	"net/http"
	"time"

	"rein/kit/providers/bedrock"
)

// stream writes events and breaks where a quirk demands it.
type stream struct {
	w      http.ResponseWriter
	r      *http.Request
	quirks Quirks
	pace   time.Duration
	batch  bool
	framed bool // events are frames of Amazon
	chunks bool // the frames have the events in them
	lines  bool // events are lines of JSON

	buf     []byte
	sent    int  // events
	half    int  // where it breaks
	measure bool // nothing is sent: the events are only counted
	over    bool
}

func (s *stream) broken() bool {
	return s.quirks["fault"] || s.quirks["cut"] || s.quirks["stall"] || s.quirks["garbage"]
}

// event writes one event; kind may be empty.
func (s *stream) event(kind string, payload any) {
	if s.over {
		return
	}
	s.sent++
	if s.measure {
		return
	}
	if s.broken() && s.sent > s.half {
		s.breakOff()
		return
	}
	data, ok := payload.([]byte)
	if !ok {
		data = encode(payload)
	}
	s.write(kind, data)
	if !s.batch || len(s.buf) > 32<<10 {
		s.flush()
	}
	if !wait(s.r, s.pace) {
		s.over = true
	}
}

func (s *stream) write(kind string, data []byte) {
	switch {
	case s.framed && kind == "error":
		s.buf = bedrock.AppendFrame(s.buf, [][2]string{{":message-type", "exception"}, {":exception-type", "serviceUnavailableException"}}, []byte(`{"message":"Overloaded"}`))
		return
	case s.chunks:
		s.buf = bedrock.AppendFrame(s.buf, [][2]string{{":message-type", "event"}, {":event-type", "chunk"}, {":content-type", "application/json"}}, encode(map[string]any{"bytes": data, "p": "abcdef"}))
		return
	case s.framed:
		s.buf = bedrock.AppendFrame(s.buf, [][2]string{{":message-type", "event"}, {":event-type", kind}, {":content-type", "application/json"}}, data)
		return
	}
	end := "\n"
	if s.lines {
		s.buf = append(append(s.buf, data...), end...)
		return
	}
	if s.quirks["crlf"] {
		end = "\r\n"
	}
	if s.quirks["comments"] {
		s.buf = append(append(s.buf, ": PROCESSING"...), end...)
		s.buf = append(s.buf, end...)
	}
	line := func(name string, value []byte) {
		s.buf = append(append(append(s.buf, name...), value...), end...)
	}
	if kind != "" && !s.quirks["data-first"] {
		line("event: ", []byte(kind))
	}
	line("data: ", data)
	if kind != "" && s.quirks["data-first"] {
		line("event: ", []byte(kind))
	}
	s.buf = append(s.buf, end...)
}

func (s *stream) flush() {
	if len(s.buf) == 0 {
		return
	}
	_, _ = s.w.Write(s.buf)
	s.buf = s.buf[:0]
	_ = http.NewResponseController(s.w).Flush()
}

func (s *stream) breakOff() {
	s.over = true
	s.flush()
	switch {
	case s.quirks["fault"]:
		s.write("error", []byte(`{"type":"error","error":{"type":"overloaded_error","code":529,"message":"Overloaded"}}`))
		s.flush()
	case s.quirks["garbage"]:
		s.buf = append(s.buf, "data: <html>Bad gateway</html>\n\n"...)
		s.flush()
	case s.quirks["stall"]:
		<-s.r.Context().Done()
	case s.quirks["cut"]:
		panic(http.ErrAbortHandler)
	}
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a programmer's mistake: all values are ours
	}
	return b
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v))
}
