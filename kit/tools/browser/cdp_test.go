package browser

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// browser answers each call with what answer gives, on the other ends of the pipes.
func browser(t *testing.T, answer func(m message) string) (*cdpConn, chan cdpEvent, func()) {
	t.Helper()
	fromUs, toBrowser := io.Pipe()
	fromBrowser, toUs := io.Pipe()
	events := make(chan cdpEvent, 10)
	c := newCDPConn(fromBrowser, toBrowser, func(e cdpEvent) { events <- e })
	go func() {
		dec := make([]byte, 0, 1024)
		buf := make([]byte, 1024)
		for {
			n, err := fromUs.Read(buf)
			if err != nil {
				return
			}
			dec = append(dec, buf[:n]...)
			for {
				i := strings.IndexByte(string(dec), 0)
				if i < 0 {
					break
				}
				var m message
				if err := json.Unmarshal(dec[:i], &m); err != nil {
					t.Error(err)
				}
				dec = dec[i+1:]
				if text := answer(m); text != "" {
					if _, err := io.WriteString(toUs, text); err != nil {
						return
					}
				}
			}
		}
	}()
	end := func() { toUs.Close(); fromUs.Close() }
	t.Cleanup(end)
	return c, events, end
}

func TestCall(t *testing.T) {
	c, events, end := browser(t, func(m message) string {
		switch m.Method {
		case "echo":
			id, _ := json.Marshal(m.ID)
			return `{"method":"Seen","sessionId":"s","params":{"x":1}}` + "\x00" + "no JSON\x00" + `{"id":` + string(id) + `,"result":` + string(m.Params) + "}\x00"
		case "fail":
			return `{"id":2,"error":{"code":-1,"message":"why"}}` + "\x00"
		}
		return ""
	})
	var got struct{ Text string }
	if err := c.Call(t.Context(), "s", "echo", map[string]string{"Text": "hi"}, &got); err != nil || got.Text != "hi" {
		t.Errorf("%+v, %v", got, err)
	}
	if e := <-events; e.Method != "Seen" || e.Session != "s" || string(e.Params) != `{"x":1}` {
		t.Errorf("%+v", e)
	}
	if err := c.Call(t.Context(), "", "fail", nil, nil); err == nil || err.Error() != "fail: why" {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Call(ctx, "", "silent", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	crashed := errors.New("crashed")
	time.AfterFunc(20*time.Millisecond, func() { c.Fail("tab", crashed) })
	if err := c.Call(t.Context(), "tab", "silent", nil, nil); !errors.Is(err, crashed) {
		t.Error(err)
	}
	time.AfterFunc(20*time.Millisecond, end)
	if err := c.Call(t.Context(), "tab", "silent", nil, nil); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	<-c.Done()
	if err := c.Call(t.Context(), "", "echo", nil, nil); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}
