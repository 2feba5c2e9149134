package openai

import (
	"encoding/json"
	"errors"

	"rein/kit/providers/wire"
	"rein/model"
)

// Recover implements model.Recoverer: some servers check calls themselves and refuse what they cannot read, with the model's
// words in the error.
func (d *chatDecoder) Recover(body []byte) bool {
	var refused struct {
		Error struct {
			Generation string `json:"failed_generation"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &refused) != nil || refused.Error.Generation == "" {
		return false
	}
	d.draft = model.Draft{Before: d.draft.Before}
	d.draft.Text([]byte(refused.Error.Generation))
	d.calls, d.stop = chatCalls{}, model.StopMalformed
	return true
}

var errEmpty = errors.New("the answer has no choice")

// Done implements wire.Decoder.
func (d *chatDecoder) Done(emit func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		if !d.ended {
			return model.Chunk{}, wire.ErrUnfinished
		}
		if !d.began {
			return model.Chunk{}, d.http.Garbled(nil, errEmpty)
		}
		d.stop = model.StopEnd
	}
	for i := range d.draft.Calls() {
		emit(d.draft.End(i))
	}
	from := d.http.Who.String()
	done := d.draft.Done(from, d.stop, d.usage, nil)
	if d.extra.any() {
		done.Message.KeepRaw(d.extra.message(done.Message.Parts, d.sent.Written()))
	}
	return done, nil
}
