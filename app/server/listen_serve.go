package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Times after which the server gives up a client that is slow to ask or to take the answer, or asks nothing.
const (
	headerTime = 5 * time.Second
	acceptTime = 30 * time.Second // to accept a part of an answer
	idleTime   = 2 * time.Minute
)

// sendBuffer bounds what the system keeps for a client that does not read, so that the server notices it soon.
const sendBuffer = 64 << 10

// serveUntil answers requests until ctx is done; then it calls end, which ends the answers that would continue. cert is nil for a server
// without TLS.
func serveUntil(ctx context.Context, l net.Listener, cert *tls.Certificate, handler http.Handler, end func(), log *slog.Logger) error {
	h := &http.Server{
		Handler: boundAnswers(handler, acceptTime), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if t, ok := c.(*tls.Conn); ok {
				c = t.NetConn()
			}
			if t, ok := c.(*net.TCPConn); ok {
				_ = t.SetWriteBuffer(sendBuffer) // the system's own is as good
			}
			return ctx
		},
	}
	ended := make(chan error, 1)
	go func() {
		if cert == nil {
			ended <- h.Serve(l)
			return
		}
		h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
		ended <- h.ServeTLS(l, "", "")
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	end()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := h.Shutdown(grace); err != nil {
		_ = h.Close() // what is still open is cut off
	}
	return nil
}

// boundAnswers gives a client a time in which it must accept each part of an answer, where the handler does not set its own.
func boundAnswers(handler http.Handler, most time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(&boundedWriter{ResponseWriter: w, controller: http.NewResponseController(w), most: most}, r)
	})
}

type boundedWriter struct {
	http.ResponseWriter
	controller *http.ResponseController
	most       time.Duration
	own        bool // the handler sets the deadlines
}

// Write writes a part of the answer.
func (b *boundedWriter) Write(part []byte) (int, error) {
	if !b.own {
		if err := b.controller.SetWriteDeadline(time.Now().Add(b.most)); err != nil {
			return 0, err
		}
	}
	return b.ResponseWriter.Write(part)
}

// SetWriteDeadline is for handlers that bound their writes themselves.
func (b *boundedWriter) SetWriteDeadline(end time.Time) error {
	b.own = true
	return b.controller.SetWriteDeadline(end)
}

// Unwrap lets http.ResponseController find the writer behind it.
func (b *boundedWriter) Unwrap() http.ResponseWriter { return b.ResponseWriter }
