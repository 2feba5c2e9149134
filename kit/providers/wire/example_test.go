package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"

	"rein/kit/providers/wire"
	"rein/model"
)

// plain is a model behind a protocol of our own: events of JSON with a word each, and an empty one at the end.
type plain struct{ wire.HTTP }

func (p *plain) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return p.HTTP.Stream(ctx, func() wire.Post {
		body, err := json.Marshal(map[string]string{"ask": r.Messages[len(r.Messages)-1].Text()})
		return wire.Post{Path: "/ask", Header: p.Bearer(), Body: [][]byte{body}, Refused: err, Decoder: &words{http: &p.HTTP}}
	})
}

// words reads the events of one answer.
type words struct {
	http  *wire.HTTP
	draft model.Draft
	ended bool
}

func (d *words) Event(_, data []byte, emit func(model.Chunk)) error {
	var word string
	switch err := json.Unmarshal(data, &word); {
	case err != nil:
		return d.http.Garbled(data, err)
	case word == "":
		d.ended = true
		return io.EOF
	}
	emit(d.draft.Text([]byte(word)))
	return nil
}

func (d *words) Done(func(model.Chunk)) (model.Chunk, error) {
	if !d.ended {
		return model.Chunk{}, wire.ErrUnfinished
	}
	return d.draft.Done(d.http.Who.String(), model.StopEnd, model.Usage{}, nil), nil
}

// A protocol of one's own is an encoder of requests and a decoder of events.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: \"Good \"\n\ndata: \"morning.\"\n\ndata: \"\"\n\n")
	}))
	defer srv.Close()
	m := &plain{wire.HTTP{Who: model.Info{Provider: "own", Name: "plain"}, Base: srv.URL}}
	done, err := model.Ask(context.Background(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Message.Text())
	// Output: Good morning.
}
