package telemetry

import (
	"compress/gzip"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	collectorlogs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	collectormetrics "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	logs "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	metrics_ "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is an OTLP receiver for both protocols, which reads what comes with the published types.
type receiver struct {
	address string // host and port

	mu       sync.Mutex
	fail     int // so many requests fail first, as a receiver that has no time
	requests []*http.Request
	resource map[string]string
	spans    map[string]*traces.Span // by name
	all      []*traces.Span
	metrics  map[string]*metrics_.Metric
	logs     []*logs.LogRecord
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{address: l.Addr().String(), spans: map[string]*traces.Span{}, metrics: map[string]*metrics_.Metric{}}
	s := &http.Server{Handler: r, Protocols: &http.Protocols{}}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return r
}

// env is the environment that leads to the receiver, with further NAME=value pairs.
func (r *receiver) env(more ...string) func(string) string {
	all := append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + r.address}, more...)
	return func(name string) string {
		for i := len(all) - 1; i >= 0; i-- {
			if n, value, _ := strings.Cut(all[i], "="); n == name {
				return value
			}
		}
		return ""
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
	var body io.Reader = q.Body
	grpc := q.Header.Get("Content-Type") == "application/grpc"
	packed := q.Header.Get("Content-Encoding") == "gzip"
	if grpc {
		head := make([]byte, 5)
		if _, err := io.ReadFull(q.Body, head); err != nil || q.ProtoMajor != 2 || q.Header.Get("TE") != "trailers" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		packed = head[0] == 1
		body = io.LimitReader(q.Body, int64(binary.BigEndian.Uint32(head[1:])))
		w.Header().Set("Content-Type", "application/grpc")
	}
	if packed {
		body, _ = gzip.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if r.fail > 0 {
		r.fail--
		if grpc {
			w.Header().Set("Grpc-Status", "14")
		} else {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return
	}
	if err == nil {
		err = r.take(q.URL.Path, text)
	}
	status := "0"
	if err != nil {
		status = "3"
		if !grpc {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	if grpc {
		w.Header().Set("Trailer", "Grpc-Status")
		w.Write(make([]byte, 5))
		w.Header().Set("Grpc-Status", status)
	}
}

func (r *receiver) take(path string, text []byte) error {
	switch path {
	case "/v1/traces", "/opentelemetry.proto.collector.trace.v1.TraceService/Export":
		var m collectortraces.ExportTraceServiceRequest
		if err := proto.Unmarshal(text, &m); err != nil {
			return err
		}
		r.resource = valuesOf(m.ResourceSpans[0].Resource.Attributes)
		for _, s := range m.ResourceSpans[0].ScopeSpans[0].Spans {
			r.spans[s.Name] = s
			r.all = append(r.all, s)
		}
	case "/v1/metrics", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export":
		var m collectormetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(text, &m); err != nil {
			return err
		}
		for _, s := range m.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			r.metrics[s.Name] = s
		}
	case "/v1/logs", "/opentelemetry.proto.collector.logs.v1.LogsService/Export":
		var m collectorlogs.ExportLogsServiceRequest
		if err := proto.Unmarshal(text, &m); err != nil {
			return err
		}
		r.logs = append(r.logs, m.ResourceLogs[0].ScopeLogs[0].LogRecords...)
	default:
		return io.ErrUnexpectedEOF
	}
	return nil
}

// valuesOf are attributes as text.
func valuesOf(attrs []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range attrs {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		default:
			out[a.Key] = strings.TrimSpace(strings.SplitN(a.Value.String(), ":", 2)[1])
		}
	}
	return out
}
