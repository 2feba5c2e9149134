package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/internal/rpc"
)

// maxLine is the length of the longest message in bytes.
const maxLine = 16 << 20

// lines is the connection to one client over a pair of streams. Unlike that of the protocol's library it answers a line that is no message,
// and continues. The messages of a list are answered one by one.
type lines struct {
	in   io.ReadCloser
	out  io.WriteCloser
	w    *rpc.Writer
	read chan jsonrpc.Message // closed at the end, of which err is the reason
	err  error

	once   sync.Once
	closed chan struct{}
}

// Connect implements sdk.Transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	l.w, l.read, l.closed = &rpc.Writer{W: l.out}, make(chan jsonrpc.Message), make(chan struct{})
	go l.readAll() // ends with Close, or else with its input
	return l, nil
}

// readAll decodes each line once.
func (l *lines) readAll() {
	defer close(l.read)
	all := &rpc.Lines{In: bufio.NewReaderSize(l.in, 64<<10), Out: l.w, Most: maxLine}
	for l.err == nil {
		var line []byte
		if line, l.err = all.Next(); l.err != nil {
			return
		}
		messages, wrong := decode(line)
		if wrong != nil {
			l.err = l.w.Refuse(line, wrong)
			continue
		}
		for _, m := range messages {
			select {
			case l.read <- m:
			case <-l.closed:
				return
			}
		}
	}
}

// decode returns the message of a line, or the messages of a list.
func decode(line []byte) (messages []jsonrpc.Message, err error) {
	var list []json.RawMessage
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
		list = append(list, line)
	} else if err = json.Unmarshal(line, &list); err == nil && len(list) == 0 {
		err = errors.New("the list has no message")
	}
	for _, one := range list {
		if err != nil {
			return nil, err
		}
		var m jsonrpc.Message
		m, err = jsonrpc.DecodeMessage(one)
		messages = append(messages, m)
	}
	return messages, err
}

// Read implements sdk.Connection.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, more := <-l.read:
		if !more {
			return nil, l.err
		}
		return m, nil
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write implements sdk.Connection.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		_, err = l.w.Write(append(text, '\n'))
	}
	return err
}

// Close implements sdk.Connection.
func (l *lines) Close() (err error) {
	l.once.Do(func() {
		close(l.closed)
		err = errors.Join(l.in.Close(), l.out.Close())
	})
	return err
}

// SessionID implements sdk.Connection.
func (l *lines) SessionID() string { return "" }
