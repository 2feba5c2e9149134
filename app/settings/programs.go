package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rein/kit/sandbox"
)

// Programs are the limits of each program that runs in the sandbox, and what it may do to those that it starts. Zero means the default.
type Programs struct {
	CPU       Duration `json:"cpu,omitempty"`       // of one process
	Memory    amount   `json:"memory,omitempty"`    // bytes
	FileSize  amount   `json:"fileSize,omitempty"`  // bytes of one file
	OpenFiles amount   `json:"openFiles,omitempty"` // of one process
	Processes amount   `json:"processes,omitempty"` // at once
	Output    amount   `json:"output,omitempty"`    // bytes
	Debuggers bool     `json:"debuggers,omitempty"` // programs may trace those that they start
}

// SandboxBackend says where programs run; the zero value is the best backend of this machine's own system.
type SandboxBackend struct {
	Name    string   `json:"name,omitempty"`    // see sandbox.BackendNames
	Image   string   `json:"image,omitempty"`   // for container
	Engine  string   `json:"engine,omitempty"`  // for container: docker, podman
	Command []string `json:"command,omitempty"` // for external: a program and its arguments
}

// Apply names the backend in a policy, where nobody named one and the sandbox is on.
func (b SandboxBackend) Apply(p sandbox.Policy) sandbox.Policy {
	p.Elsewhere = sandbox.Elsewhere{Image: b.Image, Engine: b.Engine, Command: b.Command}
	if p.Only == "" && p.Mode != sandbox.Off {
		p.Only = b.Name
	}
	return p
}

// Limits returns the limits as the sandbox takes them.
func (p Programs) Limits() sandbox.Limits {
	return sandbox.Limits{CPU: time.Duration(p.CPU), Memory: int64(p.Memory), FileSize: int64(p.FileSize),
		OpenFiles: int64(p.OpenFiles), Processes: int64(p.Processes), Output: int64(p.Output)}
}

// Add makes a flag of each bound.
func (p *Programs) Add(flags *pflag.FlagSet) {
	flags.Var(&p.CPU, "cpu", "CPU time of one process, such as 90s (default off)")
	flags.Var(&p.Memory, "memory", "bytes of memory of the program and all it starts, such as 2GiB, at least 64MiB (default off)")
	flags.Var(&p.FileSize, "file-size", "bytes of one file, or off (default 8GiB)")
	flags.Var(&p.OpenFiles, "open-files", "open files of one process, or off (default 4096)")
	flags.Var(&p.Processes, "processes", "processes at once, or off (default 4096)")
	flags.Var(&p.Output, "output", "bytes on stdout and stderr, which then come together on stdout (default off here)")
	flags.BoolVar(&p.Debuggers, "debuggers", false, "let the program trace what it starts, as gdb and strace do")
}

// amount is a number of bytes or of things: 4096, "2GiB", "500MB"; "off" is no bound.
type amount int64

const amountOff amount = -1

// units are what an amount may end in.
var units = []struct {
	name  string
	times int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1},
}

// Set reads an amount from a flag.
func (a *amount) Set(text string) error {
	if text == "off" {
		*a = amountOff
		return nil
	}
	number, times := text, int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, times = strings.TrimSpace(rest), u.times
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/times {
		return fmt.Errorf("%q is not an amount: expected a number, such as 4096 or 2GiB, or off", text)
	}
	*a = amount(n * times)
	return nil
}

// String writes the amount as Set reads it.
func (a *amount) String() string {
	switch *a {
	case amountOff:
		return "off"
	case 0:
		return ""
	}
	return strconv.FormatInt(int64(*a), 10)
}

// Type names what a flag takes.
func (a *amount) Type() string { return "amount" }

// UnmarshalJSON reads a number or a text.
func (a *amount) UnmarshalJSON(text []byte) error {
	var word string
	if json.Unmarshal(text, &word) == nil {
		return a.Set(word)
	}
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil {
		return errors.New("expected a number, a text such as \"2GiB\", or \"off\"")
	}
	return a.Set(n.String())
}
