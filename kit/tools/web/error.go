package web

import (
	"errors"
	"net/url"

	"rein/kit/network"
	"rein/tool"
)

// webError turns an error of a request into one for the model.
func webError(err error) error {
	if m, ok := errors.AsType[*moved](err); ok {
		return &tool.Error{Kind: tool.Failed, Text: "The page redirects to another host: " + m.to.String(), Hint: "If you need that page, call again with this URL."}
	}
	if r, ok := errors.AsType[*network.Refusal](err); ok {
		text := *r
		text.Hint = ""
		return &tool.Error{Kind: refusalKind(r.Rule), Text: text.Error(), Hint: r.Hint}
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return &tool.Error{Kind: tool.TimedOut, Text: "The server did not answer in time.", Hint: "Try once more, or use another source."}
		}
		err = u.Err
	}
	return &tool.Error{Kind: tool.Failed, Text: "The request failed: " + err.Error()}
}

func refusalKind(rule string) tool.Kind {
	switch rule {
	case "url", "host":
		return tool.BadArguments
	case "size":
		return tool.TooLarge
	}
	return tool.Denied
}

// failed is webError for a request to a target. If the policy refused the host, it names host and port and how to ask for
// access.
func (w *Tools) failed(err error, t network.Target) error {
	r, refused := errors.AsType[*network.Refusal](err)
	if !refused || refusalKind(r.Rule) != tool.Denied {
		return webError(err)
	}
	e := &tool.Error{Kind: tool.Denied, Text: "The network policy refuses " + t.String() + ": " + r.Text + ".", Hint: r.Hint}
	if w.options.Ask == nil || r.Rule != "address" && r.Rule != network.OtherPort && r.Rule != network.NotAllowed {
		return e
	}
	if call := w.options.Ask(t.String()); call != "" {
		e.Hint = "If the task needs it, request access with this call: " + call
	}
	return e
}
