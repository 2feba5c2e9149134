package eval

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.0005 {
		t.Errorf("%s is %.4f, want %.4f", what, got, want)
	}
}

// The values are those of R: binom.confint(8, 10, methods = "wilson") and binom.test.
func TestIntervals(t *testing.T) {
	i := Wilson(0.8, 10)
	near(t, "the lower bound", i.Low, 0.4902)
	near(t, "the upper bound", i.High, 0.9433)
	near(t, "the upper bound of none of 20", Wilson(0, 20).High, 0.1611)
	near(t, "the lower bound of all of 20", Wilson(1, 20).Low, 0.8389)
	if i := Wilson(0, 0); i.Low != 0 || i.High != 1 {
		t.Errorf("without trials: %v", i)
	}
	near(t, "10 wins, 0 losses", SignTest(10, 0), 0.00195)
	near(t, "8 wins, 2 losses", SignTest(8, 2), 0.1094)
	near(t, "1 win, 9 losses", SignTest(1, 9), 0.0215)
	near(t, "no difference", SignTest(0, 0), 1)
	near(t, "as many of both", SignTest(5, 5), 1)
}

// pass@k and pass^k are compared with a count of all choices of k of n attempts.
func TestPassIsThatOfAllChoices(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				choices, some, all := 0.0, 0.0, 0.0
				for set := range 1 << n {
					size, ok := 0, 0
					for i := range n {
						if set>>i&1 == 1 {
							size++
							if i < c {
								ok++
							}
						}
					}
					if size != k {
						continue
					}
					choices++
					if ok > 0 {
						some++
					}
					if ok == k {
						all++
					}
				}
				near(t, "pass@k", PassAt(n, c, k), some/choices)
				near(t, "pass^k", PassAll(n, c, k), all/choices)
			}
		}
	}
}

func TestBootstrap(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(i)
	}
	got := Bootstrap(values)
	near(t, "the mean", got.Value, 49.5)
	if want := 1.96 * 28.87 / 10; math.Abs(got.High-got.Low-2*want) > 1.5 {
		t.Errorf("the interval is %v", got)
	}
	if again := Bootstrap(values); again != got {
		t.Errorf("equal values have the intervals %v and %v", got, again)
	}
	if got := Bootstrap(nil); got != (Interval{}) {
		t.Errorf("of nothing: %v", got)
	}
}
