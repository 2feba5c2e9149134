package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rein/app/settings"
	"rein/model"
)

// flagValue is a flag whose text is checked where it is read, so that a wrong one is a usage error whatever the command does later.
type flagValue struct {
	kind string
	set  func(text string) error
	text func() string
}

// Set reads the flag.
func (v flagValue) Set(text string) error { return v.set(text) }

// String writes the value as Set reads it.
func (v flagValue) String() string {
	if v.text == nil {
		return ""
	}
	return v.text()
}

// Type names what the flag takes.
func (v flagValue) Type() string { return v.kind }

// checkedFlag is a flag for a text that check accepts.
func checkedFlag(p *string, check func(text string) error) pflag.Value {
	return flagValue{"string", func(text string) error {
		if err := check(text); err != nil {
			return err
		}
		*p = text
		return nil
	}, func() string { return *p }}
}

// choiceFlag is a flag for one of a few words.
func choiceFlag(p *string, words ...string) pflag.Value {
	return checkedFlag(p, func(text string) error {
		if slices.Contains(words, text) {
			return nil
		}
		last := len(words) - 1
		return fmt.Errorf("expected %s or %s", strings.Join(words[:last], ", "), words[last])
	})
}

// modeFlag is a flag for a permission mode, by our name for it or the one of another harness.
func modeFlag(p *string) pflag.Value {
	return checkedFlag(p, func(text string) error {
		if _, err := settings.Mode(text); err != nil {
			return errors.New("expected read-only, plan, ask, supervised, auto or full")
		}
		return nil
	})
}

// effortFlag is a flag for how long a model thinks.
func effortFlag(p *string) pflag.Value { return choiceFlag(p, settings.Efforts()...) }

// samplingFlag is a flag for how a model chooses its words.
func samplingFlag(p *model.Sampling) pflag.Value {
	text := ""
	return checkedFlag(&text, func(text string) error {
		s, err := model.ParseSampling([]byte(text))
		*p = s
		return err
	})
}

// addressFlag is a flag for where a server listens.
func addressFlag(p *string) pflag.Value {
	return checkedFlag(p, func(text string) error {
		_, port, err := net.SplitHostPort(text)
		if n, wrong := strconv.Atoi(port); err != nil || wrong != nil || n < 0 || n > 65535 {
			return errors.New("expected HOST:PORT, such as 127.0.0.1:4096")
		}
		return nil
	})
}

// rangeFlag is a flag for a whole number of a range.
func rangeFlag[T int | int64](p *T, least, most T) pflag.Value {
	return flagValue{"int", func(text string) error {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < int64(least) || n > int64(most) {
			if int64(most) == math.MaxInt64 {
				return fmt.Errorf("expected a whole number of at least %d", least)
			}
			return fmt.Errorf("expected a whole number from %d to %d", least, most)
		}
		*p = T(n)
		return nil
	}, func() string { return strconv.FormatInt(int64(*p), 10) }}
}

// shareFlag is a flag for a share, from 0 to 1.
func shareFlag(p *float64) pflag.Value {
	return flagValue{"share", func(text string) error {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n <= 1) {
			return errors.New("expected a number from 0 to 1")
		}
		*p = n
		return nil
	}, func() string { return strconv.FormatFloat(*p, 'g', -1, 64) }}
}

// dollarsFlag is a flag for an amount of money above zero; zero when it was not given.
func dollarsFlag(p *float64) pflag.Value {
	return flagValue{"amount", func(text string) error {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n > 0) || n > 1e9 {
			return errors.New("expected an amount in US dollars above zero, such as 1.50")
		}
		*p = n
		return nil
	}, func() string { return strconv.FormatFloat(*p, 'g', -1, 64) }}
}

// readFile reads a file that the user names on the command line. A pipe is read too, and nothing is waited for or read without end.
func readFile(name string) ([]byte, error) { return settings.ReadNamed(name) }

// limitFlag is a flag for a limit of time, above zero; zero when it was not given.
func limitFlag[T ~int64](p *T) pflag.Value {
	return durationFlag(p, 1, "expected a duration above zero, such as 90s or 2m")
}

// spanFlag is a flag for a time that may be zero.
func spanFlag[T ~int64](p *T) pflag.Value {
	return durationFlag(p, 0, "expected a duration such as 90s or 2m")
}

func durationFlag[T ~int64](p *T, least T, want string) pflag.Value {
	return flagValue{"duration", func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || T(d) < least {
			return errors.New(want)
		}
		*p = T(d)
		return nil
	}, func() string {
		if *p == 0 {
			return ""
		}
		return time.Duration(*p).String()
	}}
}
