package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"

	"rein/app/harness"
	"rein/redact"
)

// metrics are what a worker counts: what its sessions do, which goes where OTEL_* says too, and what Temporal's client does.
type metrics struct {
	reports  *harness.Reports
	temporal client.MetricsHandler
	client   *prometheus.Registry // has those of temporal, and of the process

	mu    sync.Mutex
	hosts map[*harness.Harness]bool // that are open: they know secrets
}

// seconds are the bounds of durations, up to a call that takes an hour.
var seconds = []float64{0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600}

func newMetrics(warn func(string)) (*metrics, error) {
	m := &metrics{client: prometheus.NewRegistry(), hosts: map[*harness.Harness]bool{}}
	m.reports = harness.CountingReports(version, m.masked, warn)
	m.client.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := exporter.New(exporter.WithRegisterer(m.client), exporter.WithoutTargetInfo(), exporter.WithoutScopeInfo())
	if err != nil {
		return nil, err
	}
	durations := metric.NewView(metric.Instrument{Unit: "s"}, metric.Stream{Aggregation: metric.AggregationExplicitBucketHistogram{Boundaries: seconds}})
	meter := metric.NewMeterProvider(metric.WithReader(reader), metric.WithView(durations)).Meter("rein-temporal")
	m.temporal = opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{Meter: meter, UseMonotonicCounters: true,
		OnError: func(err error) { warn("a metric of Temporal is left out: " + err.Error()) }})
	return m, nil
}

// masked hides what looks like a key, and the secrets that hosts know.
func (m *metrics) masked(text string) string {
	text = (*redact.Filter)(nil).String(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	for h := range m.hosts {
		text = h.Mask().String(text)
	}
	return text
}

// opened notes a host, until it is closed.
func (m *metrics) opened(h *harness.Harness) (closed func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hosts[h] = true
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.hosts, h)
	}
}

// listen gives all at an address, under /metrics, until the function that it returns is called. Who reaches it is asked for nothing: there are
// names of models, tools and queues in it, and no content.
func (m *metrics) listen(ctx context.Context, address string) (at net.Addr, stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = m.write(w) // the reader is gone
	})
	s := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }() // until it is closed
	return l.Addr(), func() { _ = s.Close() }, nil
}

// write writes all in the text format of Prometheus.
func (m *metrics) write(to io.Writer) error {
	families, err := m.client.Gather()
	for _, f := range families {
		_, writing := expfmt.MetricFamilyToText(to, f)
		err = errors.Join(err, writing)
	}
	return errors.Join(err, m.reports.WritePrometheus(to))
}

// close sends what OTEL_* wants to have.
func (m *metrics) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	m.reports.Close(ctx)
}
