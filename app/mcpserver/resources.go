package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

const (
	outputPrefix = "rein://output/"
	journalURI   = "rein://session/journal"
	mostResource = 4 << 20 // bytes of a resource
	mostKept     = 100     // outputs that a client may complete, and as many as an answer has
)

// addResources offers the long outputs of calls, and the journal of the session.
func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{URI: journalURI, Name: "journal", Title: "What happened in this session", MIMEType: "application/x-ndjson"},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			var b bytes.Buffer
			for e, err := range s.session.Events() {
				if err != nil {
					return nil, err
				}
				line, err := json.Marshal(e)
				if err != nil || b.Len()+len(line) > mostResource {
					break
				}
				b.Write(append(line, '\n'))
			}
			return text(journalURI, "application/x-ndjson", b.String()), nil
		})
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: outputPrefix + "{+ref}", Name: "output", Title: "The whole output of a call", MIMEType: "text/plain"},
		func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return s.output(ctx, r.Params.URI)
		})
}

// keep notes the whole output of a call for complete, and reports that the journal has grown.
func (s *Server) keep(r tool.Result) {
	if r.Cut != nil && r.Cut.Ref != "" {
		s.mu.Lock()
		s.outputs = append(s.outputs[max(0, len(s.outputs)-mostKept+1):], r.Cut.Ref)
		s.mu.Unlock()
	}
	_ = s.sdk.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: journalURI}) // who has left needs no notice
}

// subscribe takes every resource: only the journal ever changes.
func subscribe(context.Context, *sdk.SubscribeRequest) error { return nil }

func unsubscribe(context.Context, *sdk.UnsubscribeRequest) error { return nil }

// complete returns the outputs that a client may read. Arguments of prompts are free text.
func (s *Server) complete(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	found := []string{}
	if r.Params.Ref.Type == "ref/resource" {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, ref := range s.outputs {
			if strings.HasPrefix(ref, r.Params.Argument.Value) {
				found = append(found, ref)
			}
		}
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: found, Total: len(found)}}, nil
}

// output reads a spilled output as the tool read_file does, with all its checks.
func (s *Server) output(ctx context.Context, uri string) (*sdk.ReadResourceResult, error) {
	ref, ok := strings.CutPrefix(uri, outputPrefix)
	if !ok || ref == "" {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	args, err := json.Marshal(map[string]string{"path": ref})
	if err != nil {
		return nil, err
	}
	results, err := s.run(ctx, []tool.Call{{ID: s.nextID(), Name: "read_file", Args: args}}, nil)
	switch {
	case err != nil:
		return nil, err
	case len(results) != 1 || results[0].Failed:
		return nil, sdk.ResourceNotFoundError(uri)
	}
	return text(uri, "text/plain", results[0].Text), nil
}

func text(uri, kind, body string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: body}}}
}
