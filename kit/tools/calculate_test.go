package tools

import (
	"strings"
	"testing"
	"time"

	"rein/lab/testkit"
)

func TestCalculate(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	tl := Calculate(func() *time.Location { return berlin })
	rows := map[string]string{
		"0.1 + 0.2":                           "0.3 (exact)",
		"9223372036854775807 + 1":             "9223372036854775808 (exact)",
		"1/3":                                 "0.3333333333333333333333333333333333 (rounded to 34 digits)",
		"1/3*3":                               "1 (exact)",
		"2^10 + 2**3":                         "1032 (exact)",
		"-2^2":                                "-4 (exact)",
		"2^-2":                                "0.25 (exact)",
		"2^3^2":                               "512 (exact)",
		"7 // 2 + 7 % 4 + -7 // 2":            "2 (exact)",
		"5! - 4*(3+2)":                        "100 (exact)",
		"0xff + 0b101 + 1_000 + 2e3":          "3260 (exact)",
		"sqrt(16/9)":                          "1.333333333333333333333333333333333 (rounded to 34 digits)",
		"sqrt(2)":                             "1.414213562373095048801688724209698 (rounded to 34 digits)",
		"exp(1) - e":                          "0",
		"ln(10)":                              "2.302585092994045684017991454684364 (rounded to 34 digits)",
		"log10(2)":                            "0.301029995663981195213738894724493 (rounded to 34 digits)",
		"2^0.5 - sqrt(2)":                     "0 (rounded to 34 digits)",
		"cbrt(-27) + log10(1000)":             "0 (rounded to 34 digits)",
		"exp(-1000)":                          "5.075958897549456765291809479574337E-435 (rounded to 34 digits)",
		"-pi // 2":                            "-2 (rounded to 34 digits)",
		"log(8, 2) + log2(1024)":              "13",
		"round(2.5) + round(-2.5)":            "0 (exact)",
		"round(1234.567, 2)":                  "1234.57 (exact)",
		"round(1250, -2)":                     "1300 (exact)",
		"floor(-1.5) + ceil(1.2)":             "0 (exact)",
		"sin(pi/2)":                           "1",
		"gcd(12, 18) + lcm(4, 6)":             "18 (exact)",
		"mean([1, 2, 4, 5])":                  "3 (exact)",
		"median(3, 1, 2, 10)":                 "2.5 (exact)",
		"stdev([2, 4, 4, 4, 5, 5, 7])":        "1.51185789203690890",
		"percentile([10, 20, 30], 25)":        "15 (exact)",
		"sum([]) ":                            "bad_arguments: calculate: at 1: sum: the list is empty.",
		"[1, 1/4]":                            "[1, 0.25] (exact)",
		"5 km in miles":                       "3.106855961186669848",
		"90 km / 1.5 h in kmh":                "60 kmh (exact)",
		"3 GiB + 5 MB in bytes":               "3226225472 bytes (exact)",
		"2 m * 3 m":                           "6 m^2 (exact)",
		"100 C in F":                          "212 F (exact)",
		"98.6 F in C":                         "37 C (exact)",
		"5 km + 1 h":                          "the units differ: m and s.",
		"5 km in kg":                          "m cannot be shown in kg.",
		`"2026-11-22" + 90 days`:              "2027-02-20 (Saturday) (exact)",
		`"2026-12-25" - "2026-11-22" in days`: "33 days (exact)",
		// the clock changes between these days
		`"2026-11-01" - "2026-10-01" in days`: "31 days (exact)",
		`"2026-10-24T12:00" + 1 day`:          "2026-10-25T12:00:00+01:00 (Sunday) (exact)",
		`weekday("2026-11-22")`:               "7 (exact)",
		`"2026-02-30" + 1 day`:                "is not a date",
		"2026-03-01 - 2026-02-01 in days":     `at 1: 2026-03-01 may be a date or a difference: write "2026-03-01" for the date, or spaces around the signs.`,
		"2026 - 03 - 01 - 10-03-01":           "2008 (exact)",
		`"2026-11-22" * 2`:                    "a date takes",
	}
	for expression, want := range rows {
		got, _ := testkit.Call(t, tl, testkit.Args("expression", expression))
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
	if got, _ := testkit.Call(t, tl, `{"expression":"1/7","digits":5}`); got != "0.14286 (rounded to 5 digits)\n" {
		t.Errorf("five digits: %q", got)
	}
}

// TestBombs calculates what would take forever, or all memory.
func TestBombs(t *testing.T) {
	tl := Calculate(nil)
	deep := strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000)
	rows := map[string]string{
		"10**10**10": "", "9^9^9^9": "", "2^100000": "", "1e99999999": "exponent above", "1e9999 * 1e9999": "exponent above", "(1/3)^9999": "",
		"1001!": "0 to 1000", "1000!!": "0 to 1000", deep: "levels", strings.Repeat("-", 4000) + "1": "levels", strings.Repeat("2^", 90) + "2": "",
		"sum([" + strings.Repeat("1,", 2000) + "1])": "", "exp(10000)": "", "exp(exp(exp(100)))": "", "ln(0)": "no value", "sqrt(-1)": "no value",
		"1/0": "division by zero", "5 % 0": "division by zero", "0^-1": "division by zero", "round(1, 999999)": "up to 1000", "m^50 * m^60": "", "\"9999-12-31\" + 900 weeks": "out of range",
		"1 +": "missing", "1 2": "", "foo": `no "foo"`, "foo(1)": "no such function", "[1]+1": "a list", "1;2": "not understood", "\xff": "", "sqrt()": "expected a value", "(1": "expected ')'",
		strings.Repeat("1+", 3000) + "1": "",
	}
	for expression, want := range rows {
		began := time.Now()
		got, _ := testkit.Call(t, tl, testkit.Args("expression", expression))
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%.20s: took %v", expression, took)
		}
		if len(got) > 2000 || !strings.Contains(got, want) {
			t.Errorf("%.20s: %.200q", expression, got)
		}
	}
}

func FuzzCalculate(f *testing.F) {
	for _, seed := range []string{"1+1", "5 km in m", `"2026-11-22" - 1 day`, "mean([1,2])", "2^-3!", "100 C in F", "-(1)%.5e2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		late := time.Now().Add(time.Second)
		v, _, err := calculate(source, time.Now(), func() error {
			if time.Now().After(late) {
				return errZero
			}
			return nil
		})
		if err == nil {
			v.show(34)
		}
	})
}
