package harness

import (
	"encoding/json"
	"errors"

	"rein/guard"
	"rein/harness/settings"
	"rein/toolkit"
)

// describeAccess fills in the request of a call that asks for access beyond the sandbox: to what, what for, for how
// long, and in which file a lasting approval is kept.
func (s *Session) describeAccess(r *Request) {
	x, why, err := s.accessOf(r.Case)
	if err != nil { // the call will fail with the reason
		shown := s.describe(r.Case, r.Verdict)
		r.Lines, r.Shown = shown.Lines(), shown
		return
	}
	r.Shown = guard.DescribeRequest(r.Case, r.Verdict, s.guards.Programs, guard.Change{})
	project, user := s.settingsFiles()
	r.Lines = []string{
		r.Tool,
		"  opens    " + guard.Printable(x.String()),
		"  what for " + guard.Printable(why) + " (the model's words)",
		"  because  " + guard.Printable(r.Verdict.Reason),
		"  once     opens it for the next command, or the next file or web call that uses it",
		"  always   opens it for this session, for this project (kept in " + project + "), or for all (kept in " + user + ")",
	}
	r.Scopes = s.scopes("", nil)
}

// accessOf reads what a call of request_access asks for.
func (s *Session) accessOf(c guard.Case) (x toolkit.Access, why string, err error) {
	var in struct {
		Write, Read, Host, Why string
		Send                   bool
	}
	if err := json.Unmarshal(c.Call.Args, &in); err != nil {
		return x, "", err
	}
	x, open, err := accessTool{s}.Check(toolkit.Access{Write: in.Write, Read: in.Read, Host: in.Host, Send: in.Send})
	if err == nil && open {
		err = errors.New("it is open already")
	}
	return x, in.Why, err
}

// keepAccess grants the access of a call until the session ends, and adds it to a settings file where one is named.
func (s *Session) keepAccess(c guard.Case, file string) error {
	x, _, err := s.accessOf(c)
	if err != nil {
		return err
	}
	for _, add := range settingsOf(x) {
		if file == "" {
			continue
		}
		if err := settings.AddTo(file, add.list, add.value); err != nil {
			return err
		}
	}
	return s.access.keep(x)
}

// setTo is a value for a list in the settings.
type setTo struct{ list, value string }

// settingsOf gives the settings that hold an access for good.
func settingsOf(x toolkit.Access) []setTo {
	switch {
	case x.Write != "":
		return []setTo{{"/files/write", x.Write}}
	case x.Read != "":
		return []setTo{{"/files/read", x.Read}}
	}
	all := []setTo{{"/network/allow", x.Host}}
	if isPrivateHost(x.Host) {
		all[0].list = "/network/private"
	}
	if x.Send {
		all = append(all, setTo{"/network/send", x.Host})
	}
	return all
}
