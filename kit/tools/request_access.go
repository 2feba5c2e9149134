package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/tool"
)

// AccessRequest is access to one thing outside the sandbox. Exactly one of Write, Read and Host is set.
type AccessRequest struct {
	Write string // absolute path without links: a directory, or a protected file of the workspace
	Read  string // absolute path without links: a directory or a file
	Host  string // host, or host:port; without a port those of http and https
	Send  bool   // with Host: plain HTTP may use every method, not only GET and HEAD, and other protocols need no TLS
}

// String is the access in words, such as "write access to /data".
func (o AccessRequest) String() string {
	switch {
	case o.Write != "":
		return "write access to " + o.Write
	case o.Read != "":
		return "read access to " + o.Read
	case o.Send:
		return "network access to " + o.Host + ", with sending"
	}
	return "network access to " + o.Host
}

// Intent is the intent of a call that requests this access.
func (o AccessRequest) Intent() tool.Intent {
	i := tool.Intent{RequestsAccess: true}
	switch {
	case o.Write != "":
		i.Writes = []string{o.Write}
	case o.Read != "":
		i.Reads = []string{o.Read}
	default:
		i.Hosts = []string{o.Host}
	}
	return i
}

// Call is the call of request_access for this access, as a model writes it.
func (o AccessRequest) Call() string {
	text, err := json.Marshal(requestAccessArgs{Write: o.Write, Read: o.Read, Host: o.Host, Send: o.Send, Why: "…"})
	if err != nil {
		return ""
	}
	return "request_access " + string(text)
}

// Opener grants access beyond the sandbox. Several goroutines may call its methods at once.
type Opener interface {
	// Check returns the canonical form of an access that a model requests, and whether it is open already. It changes
	// nothing. A *tool.Error says why access cannot be granted.
	Check(AccessRequest) (o AccessRequest, open bool, err error)
	// Open grants the access that Check returned, for as long as the user has decided. lasts says for how long, in words
	// for the model.
	Open(AccessRequest) (lasts string, err error)
}

type requestAccessArgs struct {
	Write string `json:"write,omitempty" jsonschema:"absolute path of a directory outside the workspace"`
	Read  string `json:"read,omitempty" jsonschema:"absolute path of a directory or file outside the workspace"`
	Host  string `json:"host,omitempty" jsonschema:"host or host:port that programs may contact"`
	Send  bool   `json:"send,omitempty" jsonschema:"with host: let pass what is sent without TLS (POST …)"`
	Why   string `json:"why" jsonschema:"one sentence for the user" minLength:"1" maxLength:"300"`
}

const requestAccessDescription = `Ask the user for access beyond the sandbox: send exactly one of write, read and host. Use it when a call was blocked and the task needs this access. Access that is granted once is for the next call that uses it. Access to secrets, to the settings of rein and to cloud metadata is never granted.`

// RequestAccess returns the tool that asks for access beyond the sandbox. A request is an ordinary call: the guard judges it
// by the access that it names, and a person approves it. It has no effect of its own: its intent says what it would open.
// Its detail is tool.AccessDetail.
func RequestAccess(opener Opener) *tool.Tool {
	t := tool.New("request_access", requestAccessDescription, 0, func(_ context.Context, in requestAccessArgs, r *tool.Reply) error {
		o, open, err := in.access(opener)
		if err != nil {
			return err
		}
		if open {
			r.Show(accessDetail(o, true, ""))
			_, err = fmt.Fprintf(r, "Nothing to do: you already have %s.\n", o)
			return err
		}
		lasts, err := opener.Open(o)
		if err != nil {
			return &tool.Error{Kind: tool.Failed, Text: "Access could not be granted: " + err.Error()}
		}
		r.Show(accessDetail(o, false, lasts))
		_, err = fmt.Fprintf(r, "Granted: %s, %s\n", o, lasts)
		return err
	})
	t.Input = t.Input.WithAliases(map[string]string{"reason": "why", "justification": "why", "domain": "host", "url": "host", "write_path": "write", "read_path": "read"})
	t.Intent = tool.IntentBy(func(in requestAccessArgs) (tool.Intent, error) {
		o, open, err := in.access(opener)
		i := o.Intent()
		i.RequestsAccess = !open
		return i, err
	})
	return t
}

func accessDetail(o AccessRequest, already bool, lasts string) tool.Detail {
	return tool.Detail{Access: &tool.AccessDetail{Write: o.Write, Read: o.Read, Host: o.Host, Send: o.Send, Already: already, Lasts: lasts}}
}

// access checks the arguments.
func (in requestAccessArgs) access(opener Opener) (o AccessRequest, open bool, err error) {
	given := 0
	for _, text := range []string{in.Write, in.Read, in.Host} {
		if text != "" {
			given++
		}
	}
	if given != 1 || in.Send && in.Host == "" {
		return o, false, &tool.Error{Kind: tool.BadArguments, Text: "request_access needs exactly one of write, read and host.", Hint: "Send one call for each access."}
	}
	return opener.Check(AccessRequest{Write: in.Write, Read: in.Read, Host: in.Host, Send: in.Send})
}
