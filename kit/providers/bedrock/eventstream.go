package bedrock

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// maxFrame is the length of the longest frame in bytes.
const maxFrame = 24 << 20

// errDamagedFrame is the error for bytes that are no event stream.
var errDamagedFrame = errors.New("a frame of the event stream is damaged")

// eventFrame is one message of an event stream.
type eventFrame struct {
	Headers map[string]string // those with texts
	Payload []byte
}

// ReadFrame reads one frame of the type application/vnd.amazon.eventstream. io.EOF means that there are no more.
func ReadFrame(r io.Reader) (eventFrame, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return eventFrame{}, err
	}
	total, headers := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
	if crc32.ChecksumIEEE(head[:8]) != binary.BigEndian.Uint32(head[8:]) || total < 16 || total > maxFrame || headers > total-16 {
		return eventFrame{}, errDamagedFrame
	}
	rest := make([]byte, total-12)
	if _, err := io.ReadFull(r, rest); err != nil {
		return eventFrame{}, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, errDamagedFrame)
	}
	sum := crc32.Update(crc32.ChecksumIEEE(head[:]), crc32.IEEETable, rest[:len(rest)-4])
	if sum != binary.BigEndian.Uint32(rest[len(rest)-4:]) {
		return eventFrame{}, errDamagedFrame
	}
	f := eventFrame{Headers: map[string]string{}, Payload: rest[headers : len(rest)-4]}
	return f, f.readHeaders(rest[:headers])
}

// The lengths of header values by their type; −1: a length of two bytes comes first.
var valueLengths = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

const textValue = 7

func (f *eventFrame) readHeaders(b []byte) error {
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < n+2 {
			return errDamagedFrame
		}
		name, kind := string(b[1:1+n]), int(b[1+n])
		b = b[n+2:]
		if kind >= len(valueLengths) {
			return errDamagedFrame
		}
		length := valueLengths[kind]
		if length < 0 {
			if len(b) < 2 {
				return errDamagedFrame
			}
			length, b = int(binary.BigEndian.Uint16(b)), b[2:]
		}
		if len(b) < length {
			return errDamagedFrame
		}
		if kind == textValue {
			f.Headers[name] = string(b[:length])
		}
		b = b[length:]
	}
	return nil
}

// AppendFrame writes a frame.
func AppendFrame(out []byte, headers [][2]string, payload []byte) []byte {
	var h []byte
	for _, kv := range headers {
		h = append(append(append(h, byte(len(kv[0]))), kv[0]...), textValue)
		h = append(binary.BigEndian.AppendUint16(h, uint16(len(kv[1]))), kv[1]...)
	}
	from := len(out)
	out = binary.BigEndian.AppendUint32(out, uint32(16+len(h)+len(payload)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(h)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
	out = append(append(out, h...), payload...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
}

// serverSentEvents returns an event stream as server-sent events: the type of a frame as "event:", its payload as "data:". A frame that
// reports an error has the type of the error. Of an invoked model its own events come out of the frames.
func serverSentEvents(body io.ReadCloser, invokes bool) io.ReadCloser {
	return &events{body: body, invokes: invokes}
}

type events struct {
	body    io.ReadCloser
	invokes bool
	text    bytes.Buffer
	damaged bool // nothing that follows can be read
}

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for e.text.Len() == 0 {
		f, err := ReadFrame(e.body)
		kind := f.kind()
		if err == nil && e.invokes {
			f.Payload, err = invoked(kind, f.Payload)
		}
		if errors.Is(err, errDamagedFrame) && !errors.Is(err, io.ErrUnexpectedEOF) && !e.damaged {
			e.damaged = true
			fmt.Fprintf(&e.text, "event: damaged\ndata: %v\n\n", err) // which no protocol reads
			break
		}
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(&e.text, "event: %s\ndata: ", kind)
		e.text.Write(bytes.ReplaceAll(f.Payload, []byte("\n"), []byte(" "))) // a line end in JSON is only a space
		e.text.WriteString("\n\n")
	}
	return e.text.Read(p)
}

// kind is the type of the frame, or of the error that it reports.
func (f eventFrame) kind() string {
	return cmp.Or(f.Headers[":error-code"], f.Headers[":exception-type"], f.Headers[":event-type"])
}

// Close implements io.Closer.
func (e *events) Close() error { return e.body.Close() }
