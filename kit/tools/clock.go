package tools

import (
	"context"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // systems without a list of time zones

	"rein/tool"
)

// Zone keeps the user's time zone.
type Zone interface {
	// Get returns the zone; the system's where none was set.
	Get() *time.Location
	// Set stores the name of a zone for all sessions; "" is the system's.
	Set(name string) error
}

type timeArgs struct {
	Zone string `json:"timezone,omitempty" jsonschema:"such as Asia/Shanghai; default: the user's" maxLength:"64"`
}

// Intent is empty: it touches nothing.
func (timeArgs) Intent() tool.Intent { return tool.Intent{} }

// CurrentTime returns the tool that gives the date and the time.
func CurrentTime(z Zone) *tool.Tool {
	return tool.New("current_time", "Get the date, the time and the day of the week, in the user's time zone or another one.", 0,
		func(_ context.Context, in timeArgs, r *tool.Reply) error {
			at := z.Get()
			if in.Zone != "" {
				var err error
				if at, err = loadZone(in.Zone); err != nil {
					return err
				}
			}
			return show(r, time.Now().In(at))
		})
}

func show(r *tool.Reply, now time.Time) error {
	_, week := now.ISOWeek()
	_, err := fmt.Fprintf(r, "%s, %s, week %d, time zone %s (UTC%s)\n", now.Format("2006-01-02T15:04:05-07:00"), now.Weekday(), week, now.Location(), now.Format("-07:00"))
	return err
}

// loadZone returns a time zone by its name. The error is for a model.
func loadZone(name string) (*time.Location, error) {
	at, err := time.LoadLocation(strings.TrimSpace(name))
	if err != nil || name == "Local" {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("There is no time zone %.40q.", name), Hint: "Send a name such as Europe/Berlin, Asia/Shanghai or UTC."}
	}
	return at, nil
}

type zoneArgs struct {
	Zone string `json:"timezone" jsonschema:"such as Europe/Berlin; system: that of the machine" minLength:"1" maxLength:"64"`
}

// Intent is empty: the setting is rein's own.
func (zoneArgs) Intent() tool.Intent { return tool.Intent{} }

// SetTimezone returns the tool that stores the user's time zone.
func SetTimezone(z Zone) *tool.Tool {
	return tool.New("set_timezone", "Store the user's time zone for all sessions. Only when the user says where they are.", 0,
		func(_ context.Context, in zoneArgs, r *tool.Reply) error {
			name := in.Zone
			if name == "system" {
				name = ""
			} else if _, err := loadZone(name); err != nil {
				return err
			}
			if err := z.Set(name); err != nil {
				return err
			}
			return show(r, time.Now().In(z.Get()))
		})
}

// SessionUsage is what a session has used.
type SessionUsage struct {
	Requests                     int
	Input, Output                int64 // tokens
	CacheRead, CacheWrite, Think int64 // of them
	Cost                         float64
	SubAgents                    int64 // tokens of sub-agents, which are counted above
	Limit                        int64 // tokens that the session may use; 0: no limit
}

type usageArgs struct{}

// Intent is empty: the record is the session's own.
func (usageArgs) Intent() tool.Intent { return tool.Intent{} }

// TokenUsage returns the tool that tells what the session has used so far. usage reads its record.
func TokenUsage(usage func(context.Context) (SessionUsage, error)) *tool.Tool {
	return tool.New("token_usage", "Get the number of tokens and the cost of this session so far.", 0,
		func(ctx context.Context, _ usageArgs, r *tool.Reply) error {
			u, err := usage(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(r, "requests: %d; %d tokens in (%d from the cache, %d written to it), %d out (%d for thinking)\n", u.Requests, u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Think)
			if u.SubAgents > 0 {
				fmt.Fprintf(r, "of them by sub-agents: %d tokens\n", u.SubAgents)
			}
			if u.Cost > 0 {
				fmt.Fprintf(r, "cost: $%.4f\n", u.Cost)
			}
			if u.Limit > 0 {
				fmt.Fprintf(r, "left of the budget: %d of %d tokens\n", max(u.Limit-u.Input-u.Output, 0), u.Limit)
			}
			return nil
		})
}
