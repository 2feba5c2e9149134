package telemetry

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// environment is what the variables OTEL_* say.
type environment struct {
	traces, metrics, logs destination
	resource              []attr
	delta                 bool // metrics since the last time, not since the beginning
	sampler               string
	ratio                 float64 // of traces that are reported
	delay, interval       time.Duration
	queue                 int // spans, and log records, that wait at most
}

// destination is where one signal is sent to.
type destination struct {
	url     string // "": nowhere
	grpc    bool
	gzip    bool
	headers http.Header
	timeout time.Duration
	tls     *tls.Config // nil: as usual
}

func (d destination) sends() bool { return d.url != "" }

func (e environment) sends() bool { return e.traces.sends() || e.metrics.sends() || e.logs.sends() }

// reader reads variables, and warns of values that it cannot use.
type reader struct {
	get  func(string) string
	warn func(string)
}

func readEnvironment(get func(string) string, version string, warn func(string)) (e environment) {
	r := reader{get, warn}
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") {
		return e
	}
	e.traces, e.metrics, e.logs = r.destination("TRACES", "traces", "trace.v1.TraceService"), r.destination("METRICS", "metrics", "metrics.v1.MetricsService"), r.destination("LOGS", "logs", "logs.v1.LogsService")
	e.delta = strings.EqualFold(get("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"), "delta")
	e.delay = r.milliseconds("OTEL_BSP_SCHEDULE_DELAY", 5*time.Second)
	e.interval = r.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", time.Minute)
	e.queue = max(1, int(r.number("OTEL_BSP_MAX_QUEUE_SIZE", 2048)))
	e.sampler, e.ratio = cmp.Or(get("OTEL_TRACES_SAMPLER"), "parentbased_always_on"), r.number("OTEL_TRACES_SAMPLER_ARG", 1)
	if !slices.Contains(samplers, e.sampler) {
		warn(fmt.Sprintf("OTEL_TRACES_SAMPLER=%s is not supported: all traces are reported", e.sampler))
		e.sampler = "always_on"
	}
	if e.sends() {
		e.resource = r.resource(version)
	}
	return e
}

var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}

// sampled reports whether a trace is reported. low are the last eight bytes of its id; parent is the span that it continues, or nil.
func (e environment) sampled(low uint64, parent *spanContext) bool {
	name, byParent := strings.CutPrefix(e.sampler, "parentbased_")
	switch {
	case byParent && parent != nil:
		return !parent.dropped
	case name == "always_off":
		return false
	case name == "traceidratio":
		return float64(low>>1) < e.ratio*float64(1<<63)
	}
	return true
}

// destination reads where one signal goes: its own variables come before those of all signals.
func (r reader) destination(signal, path, service string) (d destination) {
	value := func(name string) string {
		return cmp.Or(r.get("OTEL_EXPORTER_OTLP_"+signal+"_"+name), r.get("OTEL_EXPORTER_OTLP_"+name))
	}
	own, endpoint := r.get("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT"), value("ENDPOINT")
	switch exporter := r.get("OTEL_" + signal + "_EXPORTER"); {
	case exporter == "none", exporter == "" && endpoint == "":
		return d
	case exporter != "" && exporter != "otlp":
		r.warn(fmt.Sprintf("OTEL_%s_EXPORTER=%s is not supported: only otlp and none are", signal, exporter))
		return d
	}
	switch protocol := cmp.Or(value("PROTOCOL"), "http/protobuf"); protocol {
	case "grpc":
		d.grpc = true
	case "http/protobuf":
	default:
		r.warn(fmt.Sprintf("the OTLP protocol %s is not supported, so no %s are sent: only http/protobuf and grpc are", protocol, path))
		return d
	}
	address, err := endpointOf(endpoint, d.grpc, strings.EqualFold(value("INSECURE"), "true"))
	if err == nil {
		d.tls, err = r.certificates(value)
	}
	if err != nil {
		r.warn(fmt.Sprintf("no %s are sent: %v", path, err))
		return destination{}
	}
	switch {
	case d.grpc:
		address.Path = "/opentelemetry.proto.collector." + service + "/Export"
	case own == "":
		address = address.JoinPath("v1", path)
	case address.Path == "":
		address.Path = "/"
	}
	d.url, d.gzip, d.headers = address.String(), value("COMPRESSION") == "gzip", headersOf(value("HEADERS"))
	d.timeout = cmp.Or(r.milliseconds("OTEL_EXPORTER_OTLP_"+signal+"_TIMEOUT", 0), r.milliseconds("OTEL_EXPORTER_OTLP_TIMEOUT", 10*time.Second))
	return d
}

// endpointOf reads an address; "" is the receiver of this machine. One of gRPC may have no scheme, and is secure then unless said
// otherwise.
func endpointOf(text string, grpc, insecure bool) (*url.URL, error) {
	if text == "" {
		text = "http://localhost:4318"
		if grpc {
			text = "http://localhost:4317"
		}
	}
	if grpc && !strings.Contains(text, "://") {
		if insecure {
			text = "http://" + text
		} else {
			text = "https://" + text
		}
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the OTLP endpoint is no http or https address") // it may hold a password
	}
	return u, nil
}

// certificates reads the files that a receiver is known by, and that this program is known by.
func (r reader) certificates(value func(string) string) (*tls.Config, error) {
	ca, cert, key := value("CERTIFICATE"), value("CLIENT_CERTIFICATE"), value("CLIENT_KEY")
	if ca == "" && cert == "" {
		return nil, nil
	}
	c := &tls.Config{}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("the OTLP certificate: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("the OTLP certificate %s holds none", ca)
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("the OTLP client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// headersOf reads "name=value,…", with values as in addresses.
func headersOf(text string) http.Header {
	h := http.Header{}
	for name, value := range pairs(text) {
		h.Set(name, value)
	}
	return h
}

// pairs reads "name=value,…"; what is no pair is left out.
func pairs(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if decoded, err := url.PathUnescape(strings.TrimSpace(value)); ok && name != "" && err == nil {
			out[name] = decoded
		}
	}
	return out
}

// resource says which program this is.
func (r reader) resource(version string) []attr {
	all := pairs(r.get("OTEL_RESOURCE_ATTRIBUTES"))
	if version != "" && all["service.version"] == "" {
		all["service.version"] = version
	}
	if name := r.get("OTEL_SERVICE_NAME"); name != "" {
		all["service.name"] = name
	}
	all["service.name"] = cmp.Or(all["service.name"], scopeName)
	all["service.instance.id"] = cmp.Or(all["service.instance.id"], rand.Text())
	all["telemetry.sdk.language"], all["telemetry.sdk.name"] = "go", scopeName
	var out []attr
	for name, value := range all {
		out = append(out, attr{name, value})
	}
	slices.SortFunc(out, func(a, b attr) int { return cmp.Compare(a.key, b.key) })
	return out
}

func (r reader) number(name string, usual float64) float64 {
	text := r.get(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 {
		r.warn(fmt.Sprintf("%s=%s is no number of use: it is %v", name, text, usual))
		return usual
	}
	return n
}

func (r reader) milliseconds(name string, usual time.Duration) time.Duration {
	n := r.number(name, float64(usual/time.Millisecond))
	if n == 0 {
		return usual
	}
	return time.Duration(min(n, 1e9)) * time.Millisecond
}
