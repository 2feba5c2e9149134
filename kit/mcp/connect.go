package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// session returns the connection; the first caller opens it, the others wait for it.
func (s *Server) session(ctx context.Context) (*sdk.ClientSession, error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, errors.New("the session has ended")
		case s.client != nil:
			defer s.mu.Unlock()
			return s.client, nil
		case s.opening == nil && s.failed != nil && time.Now().Before(s.retry):
			defer s.mu.Unlock()
			return nil, fmt.Errorf("%w (the next attempt is in %v)", s.failed, time.Until(s.retry).Round(time.Second))
		case s.opening == nil:
			s.opening = make(chan struct{})
			go s.open(s.opening)
		}
		opening := s.opening
		s.mu.Unlock()
		select {
		case <-opening:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		s.mu.Lock()
		client, failed := s.client, s.failed
		s.mu.Unlock()
		if client != nil || failed != nil {
			return client, failed
		}
	}
}

// open makes one attempt.
func (s *Server) open(done chan struct{}) {
	client, err := s.attempt()
	s.mu.Lock()
	switch {
	case err != nil:
		s.failures++
		s.failed = err
		s.retry = time.Now().Add(min(mostBackoff, time.Second<<min(s.failures-1, 5)))
	case s.closed:
		go client.Close()
	default:
		s.client, s.failed, s.failures = client, nil, 0
	}
	s.opening = nil
	s.mu.Unlock()
	if err != nil {
		s.say("cannot be used: " + err.Error())
	}
	close(done)
	if err == nil {
		s.learn(client, s.listOffers)
		s.ended(client, client.Wait())
	}
}

// ended leaves a connection that has ended, once.
func (s *Server) ended(client *sdk.ClientSession, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == client {
		s.client, s.listed = nil, false
		if !s.closed {
			s.failed, s.retry = nil, time.Time{}
			s.failures++
			if s.failures > 1 {
				s.failed, s.retry = fmt.Errorf("the connection broke: %w", orEnded(err)), time.Now().Add(min(mostBackoff, time.Second<<min(s.failures-2, 5)))
			}
			go s.say("the connection ended")
		}
	}
}

func orEnded(err error) error {
	if err == nil {
		return errors.New("the server ended")
	}
	return err
}

// attempt starts or reaches the server and agrees with it on a version. A server that does not answer the newest way of
// beginning gets the older one.
func (s *Server) attempt() (*sdk.ClientSession, error) {
	e := s.entry
	if s.o.Expand != nil {
		var err error
		if e, err = s.o.Expand(e); err != nil {
			return nil, err
		}
	}
	limit := time.Duration(e.StartTimeout)
	if limit <= 0 {
		limit = DefaultStartTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	first, cancelFirst := context.WithTimeout(ctx, limit/2)
	client, err := s.connect(first, e, "")
	late := first.Err() != nil
	cancelFirst()
	if err != nil && late && e.Kind() == "stdio" {
		client, err = s.connect(ctx, e, "2025-11-25")
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("it did not answer within %v", limit)
	} else if err != nil && e.Kind() == "stdio" && pipeEnded(err) {
		err = errors.New("its program ended before it answered")
	}
	if err != nil {
		return nil, s.explained(err)
	}
	if err := s.list(ctx, client); err != nil {
		client.Close()
		return nil, s.explained(err)
	}
	return client, nil
}

// pipeEnded reports whether the other end of a pipe is gone. Of that error the library keeps only the text.
func pipeEnded(err error) bool {
	text := err.Error()
	return strings.HasSuffix(text, ": "+io.EOF.Error()) || strings.HasSuffix(text, ": "+io.ErrClosedPipe.Error()) || strings.HasSuffix(text, "broken pipe")
}

// explained adds to an error what the program said on stderr.
func (s *Server) explained(err error) error {
	if why := s.log.reason(); why != "" {
		return fmt.Errorf("%w; it said on stderr: %s", err, why)
	}
	return err
}

func (s *Server) connect(ctx context.Context, e ServerEntry, version string) (*sdk.ClientSession, error) {
	transport, err := s.transport(ctx, e)
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "rein", Title: "rein", Version: s.o.Version}, s.clientOptions())
	client.AddReceivingMiddleware(s.contain)
	for _, dir := range s.o.Roots {
		//lint:ignore SA1019 servers of older versions ask for them
		client.AddRoots(&sdk.Root{URI: tool.FileURI(dir), Name: filepath.Base(dir)})
	}
	session, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		transport.end()
		return nil, err
	}
	return session, nil
}

// contain makes an error of a panic in what answers a server, which would end the program. The server gets no words of it.
func (s *Server) contain(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if wrong := recover(); wrong != nil {
				s.say(fmt.Sprintf("its message %s caused a panic in rein: %v", method, wrong))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: method + " failed inside of rein"}
			}
		}()
		return next(ctx, method, r)
	}
}
