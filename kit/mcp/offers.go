package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Offers are what a server has beside tools. Names and texts are the server's own, without characters that nobody sees.
type Offers struct {
	Prompts   []Prompt   `json:"prompts,omitempty"`
	Resources []Resource `json:"resources,omitempty"`
	Templates []Resource `json:"templates,omitempty"` // of resources: the URI has places for values, such as {id}
}

// Prompt is a message that a server writes for its users.
type Prompt struct {
	Name      string     `json:"name"`
	About     string     `json:"about,omitempty"` // one line
	Arguments []Argument `json:"arguments,omitempty"`
}

// Argument is an argument of a prompt.
type Argument struct {
	Name     string `json:"name"`
	About    string `json:"about,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// Resource is a text, an image or a document of a server.
type Resource struct {
	URI   string `json:"uri"`
	Name  string `json:"name,omitempty"`
	About string `json:"about,omitempty"` // one line
	Media string `json:"media,omitempty"` // media type
}

// mostListed bounds each list of Offers.
const mostListed = 500

// Offers returns what the server listed last, in this process or an earlier one. Nothing is started.
func (s *Server) Offers() Offers {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offers == nil {
		s.offers = &Offers{}
		if s.pins.File != "" {
			if text, err := os.ReadFile(s.offersFile()); err == nil && json.Unmarshal(text, s.offers) != nil {
				s.offers = &Offers{} // it is listed again
			}
		}
	}
	return *s.offers
}

// List asks the server for its offers, and connects it where that is needed.
func (s *Server) List(ctx context.Context) (Offers, error) {
	client, err := s.session(ctx)
	if err != nil {
		return Offers{}, s.unavailable(err)
	}
	err = s.listOffers(ctx, client)
	return s.Offers(), err
}

func (s *Server) offersFile() string {
	return strings.TrimSuffix(s.pins.File, ".json") + ".offers.json"
}

// learn lists something of a server that was just connected, or that says it changed. A notice may come before the answer to the first request,
// when the connection knows nothing of the server yet: it waits until the attempt is over, and counts for the connection in use.
func (s *Server) learn(client *sdk.ClientSession, list func(context.Context, *sdk.ClientSession) error) {
	s.mu.Lock()
	if opening := s.opening; opening != nil {
		s.mu.Unlock()
		<-opening
		s.mu.Lock()
	}
	inUse := s.client == client
	s.mu.Unlock()
	if !inUse {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), DefaultStartTimeout)
	defer cancel()
	if err := list(ctx, client); err != nil {
		s.say(err.Error())
	}
	s.changed()
}

// listOffers asks for the prompts and the resources.
func (s *Server) listOffers(ctx context.Context, client *sdk.ClientSession) error {
	var o Offers
	hello := client.InitializeResult()
	if hello == nil || hello.Capabilities == nil {
		return nil
	}
	if hello.Capabilities.Prompts != nil {
		for p, err := range client.Prompts(ctx, nil) {
			if err != nil {
				return fmt.Errorf("the server %s cannot list its prompts: %w", s.entry.Name, err)
			}
			if o.Prompts = append(o.Prompts, promptOf(p)); len(o.Prompts) == mostListed {
				break
			}
		}
	}
	if hello.Capabilities.Resources != nil {
		for r, err := range client.Resources(ctx, nil) {
			if err != nil {
				return fmt.Errorf("the server %s cannot list its resources: %w", s.entry.Name, err)
			}
			if o.Resources = append(o.Resources, Resource{r.URI, oneLine(r.Name), oneLine(r.Description), r.MIMEType}); len(o.Resources) == mostListed {
				break
			}
		}
		for r, err := range client.ResourceTemplates(ctx, nil) {
			if err != nil {
				break // templates are not in every server
			}
			if o.Templates = append(o.Templates, Resource{r.URITemplate, oneLine(r.Name), oneLine(r.Description), r.MIMEType}); len(o.Templates) == mostListed {
				break
			}
		}
	}
	s.keepOffers(o)
	return nil
}

func promptOf(p *sdk.Prompt) Prompt {
	own := Prompt{Name: p.Name, About: oneLine(p.Description)}
	if own.About == "" {
		own.About = oneLine(p.Title)
	}
	for _, a := range p.Arguments {
		own.Arguments = append(own.Arguments, Argument{a.Name, oneLine(a.Description), a.Required})
	}
	return own
}

// oneLine is a text of a server in one line that is not too long.
func oneLine(text string) string { return clip(strings.Join(strings.Fields(visibleText(text)), " ")) }

// keepOffers keeps what was listed, for Offers. It is no harm when it cannot be written.
func (s *Server) keepOffers(o Offers) {
	s.mu.Lock()
	s.offers = &o
	s.mu.Unlock()
	if s.pins.File == "" {
		return
	}
	if text, err := json.Marshal(o); err == nil && os.MkdirAll(filepath.Dir(s.pins.File), 0o700) == nil {
		_ = os.WriteFile(s.offersFile(), text, 0o600)
	}
}

// Empty reports whether there are none.
func (o Offers) Empty() bool { return len(o.Prompts)+len(o.Resources)+len(o.Templates) == 0 }

// Write writes the offers, a line each.
func (o Offers) Write(w io.Writer) {
	line := func(kind, name string, more ...string) {
		fmt.Fprintln(w, strings.Join(strings.Fields(kind+" "+visibleText(name)+" "+strings.Join(more, " ")), " "))
	}
	for _, r := range o.Resources {
		line("resource", r.URI, r.Name, r.About)
	}
	for _, r := range o.Templates {
		line("template", r.URI, r.Name, r.About)
	}
	for _, p := range o.Prompts {
		var args []string
		for _, a := range p.Arguments {
			args = append(args, a.Name)
		}
		line("prompt", p.Name+"("+strings.Join(args, ", ")+")", p.About)
	}
}
