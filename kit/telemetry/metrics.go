package telemetry

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mostPoints is how many combinations of attributes one metric has. Beyond them all is counted as one, as the specification wants.
const mostPoints = 2000

// metrics are what was counted since the program began, or since it was last sent.
type metrics struct {
	delta bool

	mu    sync.Mutex
	since time.Time
	all   [len(metricDefs)]map[string]*point
	key   []byte
}

// point is one combination of attributes.
type point struct {
	attrs   []attr
	sum     float64
	count   uint64
	buckets []uint64
}

func newMetrics(delta bool) *metrics {
	m := &metrics{delta: delta, since: time.Now()}
	for i := range m.all {
		m.all[i] = map[string]*point{}
	}
	return m
}

// point finds the point with the attributes, whose values are strings. m.mu is held.
func (m *metrics) point(which int, attrs []attr) *point {
	m.key = m.key[:0]
	for _, a := range attrs {
		m.key = append(append(append(append(m.key, a.key...), 0), a.value.(string)...), 0)
	}
	if p := m.all[which][string(m.key)]; p != nil {
		return p
	}
	key := string(m.key)
	if len(m.all[which]) >= mostPoints {
		key, attrs = "", []attr{{"otel.metric.overflow", "true"}}
		if p := m.all[which][key]; p != nil {
			return p
		}
	}
	p := &point{attrs: slices.Clone(attrs)}
	if bounds := metricDefs[which].bounds; bounds != nil {
		p.buckets = make([]uint64, len(bounds)+1)
	}
	m.all[which][key] = p
	return p
}

// add adds to a counter. Nothing is added for zero.
func (m *metrics) add(which int, n float64, attrs ...attr) {
	if n <= 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.point(which, attrs).sum += n
}

// record adds a value to a histogram.
func (m *metrics) record(which int, v float64, attrs ...attr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.point(which, attrs)
	p.sum += v
	p.count++
	i, _ := slices.BinarySearch(metricDefs[which].bounds, v) // a bound belongs to the bucket below it
	p.buckets[i]++
}

// collect writes all metrics that have points, as OTLP has them.
func (m *metrics) collect(now time.Time) (out []message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	temporality := uint64(2)
	if m.delta {
		temporality = 1
	}
	for i, points := range m.all {
		if len(points) == 0 {
			continue
		}
		out = append(out, metricDefs[i].encode(sorted(points), m.since, now, temporality))
		if m.delta {
			m.all[i] = map[string]*point{}
		}
	}
	if m.delta {
		m.since = now
	}
	return out
}

// sorted are points in an order that stays.
func sorted(points map[string]*point) []*point {
	keys := make([]string, 0, len(points))
	for k := range points {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make([]*point, len(keys))
	for i, k := range keys {
		out[i] = points[k]
	}
	return out
}

// WritePrometheus writes the metrics in the text format of Prometheus, with the names that the OpenTelemetry collector gives them.
func (t *Telemetry) WritePrometheus(w io.Writer) error {
	if t == nil {
		return nil
	}
	out := bufio.NewWriter(w)
	m := t.counts
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, points := range m.all {
		if len(points) == 0 {
			continue
		}
		d := metricDefs[i]
		name, kind := d.prometheus(), "counter"
		if d.bounds != nil {
			kind = "histogram"
		}
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, d.help, name, kind)
		for _, p := range sorted(points) {
			p.prometheus(out, name, d.bounds)
		}
	}
	return out.Flush()
}

// prometheus is the name of a metric in Prometheus.
func (d metricDef) prometheus() string {
	name := strings.ReplaceAll(d.name, ".", "_")
	if d.unit == "s" {
		name += "_seconds"
	}
	if d.bounds == nil {
		name += "_total"
	}
	return name
}

// prometheus writes the lines of one point.
func (p *point) prometheus(w io.Writer, name string, bounds []float64) {
	labels := make([]string, len(p.attrs))
	for i, a := range p.attrs {
		labels[i] = strings.ReplaceAll(a.key, ".", "_") + "=" + quoted(a.value.(string))
	}
	all := strings.Join(labels, ",")
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if bounds == nil {
		fmt.Fprintf(w, "%s{%s} %s\n", name, all, number(p.sum))
		return
	}
	sum := uint64(0)
	for i, n := range p.buckets {
		sum += n
		le := "+Inf"
		if i < len(bounds) {
			le = number(bounds[i])
		}
		fmt.Fprintf(w, "%s_bucket{%s} %d\n", name, strings.Join(append(labels[:len(labels):len(labels)], `le="`+le+`"`), ","), sum)
	}
	fmt.Fprintf(w, "%s_sum{%s} %s\n%s_count{%s} %d\n", name, all, number(p.sum), name, all, p.count)
}

// quoted is the value of a label.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD")) + `"`
}
