package acp

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/event"
	"rein/tool"
)

// turn is the work on one message of the user.
type turn struct {
	ctx    context.Context
	cancel context.CancelFunc
	over   chan struct{} // closed at its end
	answer sdk.PromptResponse
	err    error
}

type promptParams struct {
	Session string                 `json:"sessionId"`
	Prompt  list[sdk.ContentBlock] `json:"prompt"`
}

// prompt gives the model a message and answers when the model is done. A message that comes while the model works reaches
// it with its next request. One that comes while a turn begins or ends has a turn of its own after it.
func (a *agent) prompt(ctx context.Context, p promptParams) (sdk.PromptResponse, error) {
	s, err := a.known(p.Session)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	if s, err = s.trusted(ctx); err != nil {
		return ended(ctx, "", err)
	}
	m, err := messageOf(p.Prompt, s.h.Root())
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	t, mine := s.begin(ctx)
	for ; !mine; t, mine = s.begin(ctx) {
		steered := ctx.Err() == nil && t.ctx.Err() == nil && s.Steer(harness.Message(m.text, m.attached...)...) == nil
		select {
		case <-t.over:
		case <-ctx.Done():
			return ended(ctx, "", ctx.Err())
		}
		if steered {
			return t.answer, t.err
		}
	}
	defer s.end(t)
	reason, err := s.work(t.ctx, m)
	t.answer, t.err = ended(t.ctx, reason, err)
	s.commandsChanged()
	return t.answer, t.err
}

// ended answers a prompt. One that was cancelled says so, whatever the cancel made of its work.
func ended(ctx context.Context, reason sdk.StopReason, err error) (sdk.PromptResponse, error) {
	if err != nil && ctx.Err() != nil {
		reason, err = sdk.StopReasonCancelled, nil
	}
	return sdk.PromptResponse{StopReason: reason}, err
}

// begin returns the turn that runs; mine is false when it is an earlier one.
func (s *session) begin(ctx context.Context) (t *turn, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return s.turn, false
	}
	s.turn = &turn{over: make(chan struct{})}
	s.turn.ctx, s.turn.cancel = context.WithCancel(ctx)
	return s.turn, true
}

func (s *session) end(t *turn) {
	s.mu.Lock()
	s.turn = nil
	s.mu.Unlock()
	t.cancel()
	close(t.over)
}

// work runs a slash command, or lets the model work on the message.
func (s *session) work(ctx context.Context, m message) (sdk.StopReason, error) {
	if name, args, ok := slash(m.words); ok {
		if do := s.command(name); do != nil {
			return do(ctx, args)
		}
		expanded, attached, known, err := s.Expand(ctx, name, args, s.show.live)
		if err != nil {
			return "", err
		}
		if known {
			m.text, m.attached = expanded+m.files, append(attached, m.attached...)
		}
	}
	if s.Waiting() {
		if reason, err := s.run(s.Resume(ctx)); err != nil || s.Waiting() {
			return reason, err
		}
	}
	return s.run(s.Send(ctx, harness.Message(m.text, m.attached...)...))
}

// run shows the events of a turn and returns the reason for which it stopped.
func (s *session) run(events func(func(event.Event, error) bool)) (reason sdk.StopReason, failed error) {
	var last event.Event
	mode := s.Terms().Mode
	for e, err := range events {
		s.show.live(e)
		if now := s.Terms().Mode; e.Kind == event.Replied && now != mode { // a plan was approved
			mode = now
			s.modeChanged()
		}
		if e.Parent == "" {
			last, failed = e, err
		}
	}
	s.show.flush()
	switch last.Stop {
	case event.Cancelled:
		return sdk.StopReasonCancelled, nil
	case event.MaxTurns:
		return sdk.StopReasonMaxTurnRequests, nil
	case event.Budget:
		return sdk.StopReasonMaxTokens, nil
	case event.Failed:
		if failed == nil {
			failed = fmt.Errorf("%s", last.Text)
		}
		return "", failed
	}
	return sdk.StopReasonEndTurn, nil
}

// interrupt has nothing left to do: lineReader has cancelled the prompts of the session where it read this.
func (a *agent) interrupt(context.Context, sessionParams) (any, error) { return nil, nil }

// interruptTurn cancels the turn of the session. Its prompt is answered with "cancelled".
func (s *session) interruptTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.cancel()
	}
}

// message is what the user sends.
type message struct {
	text     string // all of it, in order
	words    string // what the user wrote: a slash command begins with it
	files    string // the files that go with it
	attached []tool.Part
}

// messageOf returns the text and the attachments of a prompt. root is the workspace.
func messageOf(blocks []sdk.ContentBlock, root string) (m message, err error) {
	for _, c := range blocks {
		switch {
		case c.Text != nil:
			m.text += c.Text.Text
			m.words += c.Text.Text
		case c.Image != nil:
			data, err := base64.StdEncoding.DecodeString(c.Image.Data)
			if err != nil {
				return m, invalid("an image is not in base64: " + err.Error())
			}
			m.attached = append(m.attached, tool.Part{Kind: tool.ImagePart, MediaType: c.Image.MimeType, Data: data})
		case c.ResourceLink != nil:
			link := fmt.Sprintf("[%s](%s)", c.ResourceLink.Name, placeOf(c.ResourceLink.Uri, root))
			m.text += link
			m.files += "\n" + link
		case c.Resource != nil:
			part, text, err := resource(c.Resource.Resource, root)
			if err != nil {
				return m, err
			}
			m.text += text
			m.files += text
			if part != nil {
				m.attached = append(m.attached, *part)
			}
		case c.Audio != nil:
			return m, invalid("audio is not supported")
		}
	}
	if m.text == "" && len(m.attached) == 0 {
		return m, invalid("the prompt is empty")
	}
	return m, nil
}

// resource returns the content of a file that the client sends with the prompt.
func resource(r sdk.EmbeddedResourceResource, root string) (*tool.Part, string, error) {
	switch {
	case r.TextResourceContents != nil:
		t := r.TextResourceContents
		return nil, fmt.Sprintf("\n<file path=%q>\n%s\n</file>\n", placeOf(t.Uri, root), t.Text), nil
	case r.BlobResourceContents != nil:
		t := r.BlobResourceContents
		data, err := base64.StdEncoding.DecodeString(t.Blob)
		if err != nil {
			return nil, "", invalid("a resource is not in base64: " + err.Error())
		}
		kind := tool.DocumentPart
		var media string
		if t.MimeType != nil {
			media = *t.MimeType
		}
		if strings.HasPrefix(media, "image/") {
			kind = tool.ImagePart
		}
		name := placeOf(t.Uri, root)
		return &tool.Part{Kind: kind, MediaType: media, Data: data, Name: filepath.Base(name), URI: t.Uri}, "[" + name + "]", nil
	}
	return nil, "", nil
}

// placeOf returns a file as its path, relative to the workspace where it is in it; all else stays.
func placeOf(uri, root string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := filepath.ToSlash(tool.FilePath(uri))
	if rel, err := filepath.Rel(root, filepath.FromSlash(path)); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	if u.Fragment != "" {
		path += "#" + u.Fragment
	}
	return path
}
