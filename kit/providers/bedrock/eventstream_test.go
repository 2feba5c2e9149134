package bedrock

import (
	"bytes"
	"io"
	"testing"
)

func TestFrames(t *testing.T) {
	frame := AppendFrame(nil, [][2]string{{":message-type", "event"}, {":event-type", "messageStop"}}, []byte("{\"a\":\n1}"))
	frame = AppendFrame(frame, [][2]string{{":exception-type", "throttlingException"}}, []byte(`{"message":"slow"}`))
	text, err := io.ReadAll(serverSentEvents(io.NopCloser(bytes.NewReader(frame)), false))
	if want := "event: messageStop\ndata: {\"a\": 1}\n\nevent: throttlingException\ndata: {\"message\":\"slow\"}\n\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	for i := range frame { // each byte counts
		bad := bytes.Clone(frame)
		bad[i] ^= 0x40
		r := bytes.NewReader(bad)
		_, first := ReadFrame(r)
		_, second := ReadFrame(r)
		if first == nil && second == nil {
			t.Fatalf("the byte %d was changed, and nobody sees it", i)
		}
	}
	for i := range len(frame) / 2 {
		if _, err := ReadFrame(bytes.NewReader(frame[:i])); err == nil {
			t.Fatalf("a frame of %d bytes is taken as whole", i)
		}
	}
}

// The events of an invoked model come out of the frames, and what Bedrock reports becomes an error of the model's protocol.
func TestFramesOfAnInvokedModel(t *testing.T) {
	frame := AppendFrame(nil, [][2]string{{":message-type", "event"}, {":event-type", "chunk"}}, []byte(`{"bytes":"eyJ0eXBlIjoicGluZyJ9","p":"ab"}`))
	frame = AppendFrame(frame, [][2]string{{":message-type", "exception"}, {":exception-type", "throttlingException"}}, []byte(`{"message":"slow"}`))
	frame = AppendFrame(frame, [][2]string{{":event-type", "chunk"}}, []byte(`{"bytes":"?"}`))
	text, err := io.ReadAll(serverSentEvents(io.NopCloser(bytes.NewReader(frame)), true))
	want := "event: chunk\ndata: {\"type\":\"ping\"}\n\nevent: throttlingException\ndata: {\"error\":{\"message\":\"slow\",\"type\":\"rate_limit_error\"},\"type\":\"error\"}\n\nevent: damaged\n"
	if err != nil || !bytes.HasPrefix(text, []byte(want)) {
		t.Errorf("%q, %v", text, err)
	}
}
