package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"rein/tool"
)

type args struct {
	Expression string `json:"expression" jsonschema:"such as (17.5 + 3) * 1e6 / 7, sqrt(2), 5 km / 20 min in mph, mean([1, 2, 4]), \"2026-11-22\" + 90 days, 100 C in F" minLength:"1" maxLength:"4096"`
	Digits     int    `json:"digits,omitempty" jsonschema:"of a number without an end (default 34)" minimum:"1" maximum:"34"`
}

// Intent is empty: it touches nothing.
func (args) Intent() tool.Intent { return tool.Intent{} }

const description = `Calculate, exactly where that is possible. + - * / // % ^ !, functions (` + functions + `), units with "in", lists [1, 2], dates in quotes, now, today.`

const timeout = time.Second

// Calculate returns the tool calculate. zone gives the user's time zone, for dates; nil is the system's.
func Calculate(zone func() *time.Location) *tool.Tool {
	t := tool.New("calculate", description, 0, func(ctx context.Context, in args, r *tool.Reply) error {
		now := time.Now()
		if zone != nil {
			now = now.In(zone())
		}
		late := now.Add(timeout)
		v, unit, err := calculate(in.Expression, now, func() error {
			if time.Now().After(late) {
				return fmt.Errorf("it takes longer than %v", timeout)
			}
			return ctx.Err()
		})
		if err != nil {
			return &tool.Error{Kind: tool.BadArguments, Text: "calculate: " + err.Error() + "."}
		}
		digits := cmp.Or(in.Digits, maxShown)
		shown, whole := v.show(digits)
		if v.is == list {
			shown = strings.TrimSpace(shown)
		}
		if unit != "" {
			shown += " " + unit
		}
		how := "exact"
		if !whole {
			how = fmt.Sprintf("rounded to %d digits", digits)
			if digits == 1 {
				how = "rounded to 1 digit"
			}
		}
		_, err = fmt.Fprintf(r, "%s (%s)\n", shown, how)
		return err
	})
	t.Input = t.Input.WithAliases(map[string]string{"expr": "expression", "input": "expression", "formula": "expression"})
	return t
}
