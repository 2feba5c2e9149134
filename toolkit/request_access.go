package toolkit

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/schema"
	"rein/tool"
)

// Access is one thing outside the walls: exactly one of Write, Read and Host is set.
type Access struct {
	Write string // absolute path without links: a directory, or a protected file of the workspace
	Read  string // absolute path without links: a directory or a file
	Host  string // host, or host:port; without a port those of http and https
	Send  bool   // with Host: every method of plain HTTP passes, not only those that read
}

// String says what is opened, in words.
func (o Access) String() string {
	switch {
	case o.Write != "":
		return "writing in " + o.Write
	case o.Read != "":
		return "reading " + o.Read
	case o.Send:
		return "the network to " + o.Host + ", and sending to it"
	}
	return "the network to " + o.Host
}

// Intent is what a call would do that opens it.
func (o Access) Intent() tool.Intent {
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

// Call is the call of the request_access tool that asks for it, as a model writes it.
func (o Access) Call() string {
	text, err := json.Marshal(requestAccessArgs{Write: o.Write, Read: o.Read, Host: o.Host, Send: o.Send, Why: "…"})
	if err != nil {
		return ""
	}
	return "request_access " + string(text)
}

// Opener opens the walls. Its methods may be called at once from several goroutines.
type Opener interface {
	// Check reads an opening as a model wrote it and gives its one spelling, and whether it is open already. It
	// changes nothing. A *tool.Error says why it cannot be opened.
	Check(Access) (o Access, open bool, err error)
	// Open opens what Check gave, for as long as was answered, and says for how long in words for the model.
	Open(Access) (lasts string, err error)
}

type requestAccessArgs struct {
	Write string `json:"write,omitempty" jsonschema:"a directory outside the workspace to write in, absolute"`
	Read  string `json:"read,omitempty" jsonschema:"a directory or file outside the workspace to read, absolute"`
	Host  string `json:"host,omitempty" jsonschema:"a host for programs to reach, or host:port; without a port 80 and 443"`
	Send  bool   `json:"send,omitempty" jsonschema:"with host: plain http may send too (POST, PUT …); https always may"`
	Why   string `json:"why" jsonschema:"what it is needed for, in a sentence for the user" minLength:"1" maxLength:"300"`
}

const requestAccessDescription = `Ask the user to open the sandbox further: exactly one of write, read and host. Use it when a command or a tool was blocked and the task cannot do without; say why. The user decides, and for how long. Open once means: for the next command, or the next file or web call that uses it; so make that call next. Secrets, settings of this program and cloud metadata are never opened.`

// RequestAccess returns the tool that asks for more than the walls give. Opening is an ordinary call: it is judged by what it
// would open, and approved by a person. It has no effect of its own: its intent says what it would open.
func RequestAccess(walls Opener) *tool.Tool {
	t := tool.New("request_access", requestAccessDescription, 0, func(_ context.Context, in requestAccessArgs, r *tool.Reply) error {
		o, open, err := in.access(walls)
		if err != nil {
			return err
		}
		if open {
			_, err = fmt.Fprintf(r, "Nothing more to do: %s is open.\n", o)
			return err
		}
		lasts, err := walls.Open(o)
		if err != nil {
			return &tool.Error{Kind: tool.Failed, Text: "It could not be opened: " + err.Error()}
		}
		_, err = fmt.Fprintf(r, "Opened %s: %s\n", o, lasts)
		return err
	})
	t.Input = t.Input.WithAliases(map[string]string{"reason": "why", "justification": "why", "domain": "host", "url": "host", "write_path": "write", "read_path": "read"})
	t.Intent = func(args json.RawMessage) (tool.Intent, error) {
		var in requestAccessArgs
		if err := schema.Decode(args, &in); err != nil {
			return tool.Intent{}, &tool.Error{Kind: tool.BadArguments, Text: err.Error()}
		}
		o, open, err := in.access(walls)
		i := o.Intent()
		i.RequestsAccess = !open
		return i, err
	}
	return t
}

// access reads the arguments.
func (in requestAccessArgs) access(walls Opener) (o Access, open bool, err error) {
	given := 0
	for _, text := range []string{in.Write, in.Read, in.Host} {
		if text != "" {
			given++
		}
	}
	if given != 1 || in.Send && in.Host == "" {
		return o, false, &tool.Error{Kind: tool.BadArguments, Text: "request_access takes exactly one of write, read and host.", Hint: "Send one call for each thing to open."}
	}
	return walls.Check(Access{Write: in.Write, Read: in.Read, Host: in.Host, Send: in.Send})
}
