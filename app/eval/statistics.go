package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is an estimate with the bounds between which the true value lies, with a certainty of 95 %.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// z is the quantile of the normal distribution for 95 %.
const z = 1.959963984540054

// Wilson returns the share p of n trials with its score interval. Shares between those that n trials can have are fine: they are means of
// shares. Without trials all values are possible.
func Wilson(p float64, n int) Interval {
	if n == 0 {
		return Interval{0, 0, 1}
	}
	m := float64(n)
	mid, half := (p+z*z/(2*m))/(1+z*z/m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))/(1+z*z/m)
	return Interval{p, max(0, mid-half), min(1, mid+half)}
}

// PassAt is the chance that at least one of k attempts passes, estimated without bias from n attempts of which c passed (Chen et al. 2021).
// It needs k ≤ n.
func PassAt(n, c, k int) float64 {
	if n-c < k {
		return 1
	}
	miss := 1.0
	for i := range k {
		miss *= float64(n-c-i) / float64(n-i)
	}
	return 1 - miss
}

// PassAll is the chance that all of k attempts pass, pass^k, estimated without bias from n attempts of which c passed. It needs k ≤ n.
func PassAll(n, c, k int) float64 {
	all := 1.0
	for i := range k {
		all *= float64(max(c-i, 0)) / float64(n-i)
	}
	return all
}

// resamples is how often a bootstrap draws.
const resamples = 2000

// Bootstrap returns the mean of values with its percentile interval. The draws are always the same, so equal values have equal intervals.
func Bootstrap(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	random := rand.New(rand.NewPCG(1, uint64(len(values))))
	means := make([]float64, resamples)
	for i := range means {
		for range values {
			means[i] += values[random.IntN(len(values))]
		}
		means[i] /= float64(len(values))
	}
	slices.Sort(means)
	return Interval{mean(values), means[resamples*25/1000], means[resamples*975/1000]}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// SignTest returns the chance that chance alone brings a difference as large as that of wins and losses in pairs that differ: exact, in
// both directions. With one attempt a case it is McNemar's exact test.
func SignTest(wins, losses int) float64 {
	n := wins + losses
	if n == 0 {
		return 1
	}
	tail := 0.0
	for k := range min(wins, losses) + 1 {
		tail += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
