package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// list asks for the tools and compares them with the pinned ones.
func (s *Server) list(ctx context.Context, client *sdk.ClientSession) error {
	result := client.InitializeResult()
	if result == nil || result.Capabilities == nil || result.Capabilities.Tools == nil {
		s.took(nil)
		return nil
	}
	most := s.o.Tools
	if most <= 0 {
		most = DefaultTools
	}
	var listed []Definition
	for t, err := range client.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("it cannot list its tools: %w", err)
		}
		if len(listed) == most {
			s.say(fmt.Sprintf("it has more than %d tools; the others are left out", most))
			break
		}
		if d, ok := s.definition(t); ok {
			listed = append(listed, d)
		}
	}
	s.took(listed)
	return nil
}

// took keeps what the server listed.
func (s *Server) took(listed []Definition) {
	if err := s.pins.Take(listed); err != nil {
		s.say("what it says about its tools cannot be kept: " + err.Error())
	}
	have := map[string]bool{}
	for _, d := range listed {
		have[d.Name] = true
	}
	known, _ := s.pins.All()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
	s.gone = map[string]bool{}
	for _, d := range known {
		if !have[d.Name] {
			s.gone[d.Name] = true
		}
	}
	s.tools.clear()
}
