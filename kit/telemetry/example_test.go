package telemetry_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"rein/event"
	"rein/kit/telemetry"
)

// What a session does goes to the receiver that the environment names.
func Example() {
	var mu sync.Mutex
	got := map[string]bool{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] = true
	}))
	defer receiver.Close()
	environment := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
	t := telemetry.Open(telemetry.Options{Getenv: func(name string) string { return environment[name] }})

	// The events of a session: agent.SessionOptions{Watch: t.Watch} gives all of them.
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	t.Watch(event.Event{Kind: event.Prompted, Session: "s1", Time: now, Text: "look"})
	t.Watch(event.Event{Kind: event.Stopped, Session: "s1", Time: now.Add(time.Second), Stop: event.Done})
	t.Close(context.Background())
	mu.Lock()
	defer mu.Unlock()
	fmt.Println(slices.Sorted(maps.Keys(got)))
	// Output:
	// [/v1/metrics /v1/traces]
}
