package telemetry

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
)

// The messages of OTLP, as opentelemetry/proto/*/v1/*.proto number their fields. They are written here by hand: the generated Go types
// bring google.golang.org/grpc with them and add 10 MB to a program.

// message is a protobuf message while it is written.
type message []byte

func (m *message) tag(field, wire int) { *m = binary.AppendUvarint(*m, uint64(field<<3|wire)) }

func (m *message) varint(field int, v uint64) {
	m.tag(field, 0)
	*m = binary.AppendUvarint(*m, v)
}

func (m *message) fixed64(field int, v uint64) {
	m.tag(field, 1)
	*m = binary.LittleEndian.AppendUint64(*m, v)
}

func (m *message) fixed32(field int, v uint32) {
	m.tag(field, 5)
	*m = binary.LittleEndian.AppendUint32(*m, v)
}

func (m *message) double(field int, v float64) { m.fixed64(field, math.Float64bits(v)) }

func (m *message) time(field int, t time.Time) { m.fixed64(field, uint64(t.UnixNano())) }

func (m *message) bytes(field int, b []byte) {
	m.tag(field, 2)
	*m = append(binary.AppendUvarint(*m, uint64(len(b))), b...)
}

// text writes a string; an empty one is left out.
func (m *message) text(field int, s string) {
	if s != "" {
		s = strings.ToValidUTF8(s, "\uFFFD") // a receiver refuses all of a message with another one
		m.tag(field, 2)
		*m = append(binary.AppendUvarint(*m, uint64(len(s))), s...)
	}
}

// sub writes a message in the message. Its length is known afterwards: what was written moves to make room for it.
func (m *message) sub(field int, write func(*message)) {
	m.tag(field, 2)
	at := len(*m)
	write(m)
	inner := len(*m) - at
	*m = binary.AppendUvarint(*m, uint64(inner))
	var length [binary.MaxVarintLen64]byte
	n := copy(length[:], (*m)[at+inner:])
	copy((*m)[at+n:], (*m)[at:at+inner])
	copy((*m)[at:], length[:n])
}

// packed writes a repeated field of eight bytes each.
func packed[T any](m *message, field int, all []T, bits func(T) uint64) {
	if len(all) == 0 {
		return
	}
	m.tag(field, 2)
	*m = binary.AppendUvarint(*m, uint64(8*len(all)))
	for _, v := range all {
		*m = binary.LittleEndian.AppendUint64(*m, bits(v))
	}
}

// attr is one attribute: the value is a string, int64, float64, bool or []string.
type attr struct {
	key   string
	value any
}

func (m *message) attrs(field int, all []attr) {
	for _, a := range all {
		m.sub(field, func(kv *message) {
			kv.text(1, a.key)
			kv.sub(2, func(v *message) { v.any(a.value) })
		})
	}
}

// any writes an AnyValue.
func (m *message) any(value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			m.bytes(1, nil)
		}
		m.text(1, v)
	case bool:
		n := uint64(0)
		if v {
			n = 1
		}
		m.varint(2, n)
	case int64:
		m.varint(3, uint64(v))
	case float64:
		m.double(4, v)
	case []string:
		m.sub(5, func(list *message) {
			for _, s := range v {
				list.sub(1, func(item *message) { item.any(s) })
			}
		})
	}
}

// envelope writes what is around the spans, metrics or log records of one program: each goes to field 2 of the scope.
func envelope(resource []attr, version string, items []message) message {
	var m message
	m.sub(1, func(r *message) {
		r.sub(1, func(res *message) { res.attrs(1, resource) })
		r.sub(2, func(scope *message) {
			scope.sub(1, func(s *message) {
				s.text(1, scopeName)
				s.text(2, version)
			})
			for _, item := range items {
				scope.bytes(2, item)
			}
		})
	})
	return m
}

// encode writes a Span.
func (s *span) encode() (m message) {
	m.bytes(1, s.trace[:])
	m.bytes(2, s.id[:])
	m.text(3, s.state)
	if s.parent != (spanID{}) {
		m.bytes(4, s.parent[:])
	}
	m.text(5, s.name)
	m.varint(6, uint64(s.kind))
	m.time(7, s.start)
	m.time(8, s.end)
	m.attrs(9, s.attrs)
	for _, e := range s.events {
		m.sub(11, func(out *message) {
			out.time(1, e.at)
			out.text(2, e.name)
			out.attrs(3, e.attrs)
		})
	}
	if s.dropped > 0 {
		m.varint(12, uint64(s.dropped))
	}
	if s.failed {
		m.sub(15, func(status *message) {
			status.text(2, s.why)
			status.varint(3, 2)
		})
	}
	m.fixed32(16, 1) // sampled
	return m
}

// encode writes a LogRecord of the span that it happened in.
func (e occurrence) encode(in *span) (m message) {
	m.time(1, e.at)
	m.varint(2, 9) // INFO
	m.text(3, "INFO")
	m.attrs(6, e.attrs)
	m.fixed32(8, 1)
	m.bytes(9, in.trace[:])
	m.bytes(10, in.id[:])
	m.time(11, e.at)
	m.text(12, e.name)
	return m
}

// encode writes a Metric with its points from start to now. The temporality is 1 (delta) or 2 (cumulative).
func (d metricDef) encode(points []*point, start, now time.Time, temporality uint64) (m message) {
	m.text(1, d.name)
	m.text(2, d.help)
	m.text(3, d.unit)
	kind := 7 // Sum
	if d.bounds != nil {
		kind = 9 // Histogram
	}
	m.sub(kind, func(data *message) {
		for _, p := range points {
			data.sub(1, func(out *message) { p.encode(out, d.bounds, start, now) })
		}
		data.varint(2, temporality)
		if d.bounds == nil {
			data.varint(3, 1) // it only grows
		}
	})
	return m
}

func (p *point) encode(m *message, bounds []float64, start, now time.Time) {
	m.time(2, start)
	m.time(3, now)
	if bounds == nil {
		m.double(4, p.sum)
		m.attrs(7, p.attrs)
		return
	}
	m.fixed64(4, p.count)
	m.double(5, p.sum)
	packed(m, 6, p.buckets, func(n uint64) uint64 { return n })
	packed(m, 7, bounds, math.Float64bits)
	m.attrs(9, p.attrs)
}
