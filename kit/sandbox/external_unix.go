//go:build unix

package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"rein/guard"
)

// external is the backend of a program of the user's: docs/sandbox_protocol.md has what the two say to each other.
type external struct {
	policy backendPolicy
	view   view
	about  externalStarted
	copies *externalFiles // nil: the program has the user's files themselves

	cmd    *exec.Cmd
	writer sync.Mutex
	in     io.WriteCloser
	ended  chan struct{} // closed when the program is gone
	errors tail

	mu      sync.Mutex
	last    int
	waiting map[int]chan externalMessage // for the response to a request
	runs    map[string]*externalRun
}

// externalMessage is a line that the program writes: the response to a request, or an event of a run.
type externalMessage struct {
	ID     int             `json:"id,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`

	Event  string `json:"event,omitempty"` // output, exit
	Run    string `json:"run,omitempty"`
	Stream string `json:"stream,omitempty"` // stdout, stderr
	Data   []byte `json:"data,omitempty"`
	Code   int    `json:"code,omitempty"`
	Signal int    `json:"signal,omitempty"`
	CPU    int64  `json:"cpu_ms,omitempty"`
	Limit  string `json:"limit,omitempty"`
}

// externalStarted is the response to "start".
type externalStarted struct {
	Version  int      `json:"version"`
	Shares   bool     `json:"shares_files"`
	Isolates []string `json:"isolates"`
}

// externalVersion is the version of the protocol.
const externalVersion = 1

// externalLine is the longest line that the program may write.
const externalLine = 128 << 20

// openExternal starts the program.
func openExternal(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
	argv := p.Elsewhere.Command
	if len(argv) == 0 {
		return nil, nil, errors.New("no program is named: the key sandboxBackend.command of your settings does")
	}
	cmd, err := bareStarter{Dir: "/", Parent: p.Parent}.Command(ctx, Spec{Argv: argv})
	if err != nil {
		return nil, nil, err
	}
	if real, err := filepath.EvalSymlinks(cmd.Path); err != nil || p.Grants(real) || p.Grants(cmd.Path) {
		return nil, nil, fmt.Errorf("%s is not used: programs may write where it lies", cmd.Path)
	}
	e := &external{policy: p, cmd: cmd, ended: make(chan struct{}), waiting: map[int]chan externalMessage{}, runs: map[string]*externalRun{}}
	if e.view, err = newView(p); err != nil {
		return nil, nil, err
	}
	e.view = e.view.elsewhere()
	cmd.Env = p.Parent // it may need the user's keys for its service
	cmd.Stderr, cmd.SysProcAttr = &e.errors, &syscall.SysProcAttr{Setsid: true}
	var out io.Reader
	if e.in, err = cmd.StdinPipe(); err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = startHardened(cmd.Start)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	go e.listen(out)
	closer, err := e.begin(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, closer())
	}
	return e, closer, nil
}

// begin says hello. The function that it returns ends the program, whatever the error is.
func (e *external) begin(ctx context.Context) (closer func() error, err error) {
	p := e.policy
	network, socket, served := "none", "", func() {}
	if p.HostNetwork {
		network = "host"
	} else if p.Proxy != nil {
		network, socket = "proxy", filepath.Join(p.Own.Session(), "proxy")
		l, err := listenIn(p.Own.Session(), "unix", "proxy")
		if err != nil {
			return e.close, fmt.Errorf("make the way to the proxy: %w", err)
		}
		var proxy sync.WaitGroup
		proxy.Go(func() { p.Proxy(l) })
		served = func() { l.Close(); proxy.Wait() }
	}
	closer = func() error { defer served(); return e.close() }
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err = e.ask(ctx, "start", map[string]any{"version": externalVersion, "workspace": p.Workspace, "writable": nonNil(p.Writable),
		"readable": nonNil(p.Readable), "network": network, "proxy": socket, "limits": limitsSaid(p.LimitsOf(Spec{}))}, &e.about)
	if err == nil && e.about.Version != externalVersion {
		err = fmt.Errorf("%s speaks version %d of the protocol, and this is %d", e.cmd.Path, e.about.Version, externalVersion)
	}
	if !e.about.Shares {
		e.copies = &externalFiles{external: e, sent: map[string]fileState{}}
	}
	return closer, err
}

// startTime is how long it may take to make a place for programs elsewhere.
const startTime = time.Minute

// listenIn makes a Unix socket in a directory whose name may be longer than that of a socket can be.
func listenIn(dir, network, name string) (*net.UnixListener, error) {
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if runtime.GOOS == "linux" {
		dir = filepath.Join("/proc/self/fd", strconv.Itoa(int(d.Fd())))
	}
	l, err := net.ListenUnix(network, &net.UnixAddr{Name: filepath.Join(dir, name), Net: network})
	if err == nil {
		l.SetUnlinkOnClose(false) // by then the name is another's
	}
	return l, err
}

func nonNil(list []string) []string { return append([]string{}, list...) }

// limitsSaid are limits in the words of the protocol; -1 is none.
func limitsSaid(l Limits) map[string]int64 {
	cpu := int64(-1)
	if l.CPU > 0 {
		cpu = max(1, int64(l.CPU.Seconds()))
	}
	return map[string]int64{"cpu_s": cpu, "file_size": l.FileSize, "open_files": l.OpenFiles, "processes": l.Processes, "memory": l.Memory}
}

// Sees returns what programs see.
func (e *external) Sees() *view { return &e.view }

// Isolation is what the program says that it isolates: the user chose it, and nothing can be tried.
func (e *external) Isolation() guard.Isolation {
	switch files, network := slices.Contains(e.about.Isolates, "files"), slices.Contains(e.about.Isolates, "network"); {
	case files && network:
		return guard.FullIsolation
	case files:
		return guard.FileIsolation
	}
	return guard.NoIsolation
}

// listen takes what the program writes until it is gone.
func (e *external) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, externalLine)
	for lines.Scan() {
		var m externalMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			fmt.Fprintf(&e.errors, "a line of its output is no message: %v\n", err)
			break
		}
		e.mu.Lock()
		waits, run := e.waiting[m.ID], e.runs[m.Run]
		delete(e.waiting, m.ID)
		e.mu.Unlock()
		switch {
		case m.Event == "" && waits != nil:
			waits <- m
		case m.Event != "" && run != nil:
			run.happened(m)
		}
	}
	_ = e.cmd.Process.Kill() // it may have closed its output, or written what cannot be read
	_ = e.cmd.Wait()
	close(e.ended)
}

// gone is why nothing can be asked any more.
func (e *external) gone() error {
	return fmt.Errorf("%s, where programs run, has ended: %s", e.cmd.Path, lastLine(e.errors.String()))
}

// lastLine is the end of what a program wrote to standard error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return fmt.Sprintf("%.300s", lines[len(lines)-1])
}

// ask sends a request and waits for its response.
func (e *external) ask(ctx context.Context, method string, params any, result any) error {
	answer := make(chan externalMessage, 1)
	e.mu.Lock()
	e.last++
	id := e.last
	e.waiting[id] = answer
	e.mu.Unlock()
	if err := e.send(id, method, params); err != nil {
		return err
	}
	select {
	case m := <-answer:
		switch {
		case m.Error != "":
			return fmt.Errorf("%s: %s", method, m.Error)
		case result != nil && len(m.Result) > 0:
			return json.Unmarshal(m.Result, result)
		}
		return nil
	case <-e.ended:
		return e.gone()
	case <-ctx.Done():
		return fmt.Errorf("%s: %s does not answer: %w", method, e.cmd.Path, context.Cause(ctx))
	}
}

// send writes a request. One with the id 0 gets no response.
func (e *external) send(id int, method string, params any) error {
	line, err := json.Marshal(struct {
		ID     int    `json:"id,omitempty"`
		Method string `json:"method"`
		Params any    `json:"params"`
	}{id, method, params})
	if err != nil {
		return err
	}
	e.writer.Lock()
	defer e.writer.Unlock()
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		select {
		case <-e.ended: // what it wrote to standard error is read
		case <-time.After(time.Second):
		}
		return e.gone()
	}
	return nil
}

// close lets the program end what it runs and itself: it is killed where it does not.
func (e *external) close() error {
	e.view.Close()
	_ = e.send(0, "stop", struct{}{})
	e.in.Close()
	select {
	case <-e.ended:
	case <-time.After(5 * time.Second):
		_ = syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL)
		<-e.ended
	}
	return nil
}
