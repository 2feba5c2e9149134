package code

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"sync"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// InterpreterArgument is the first argument of a process that is an interpreter: see Main.
const InterpreterArgument = "program-interpreter"

// InterpreterMain runs the program that comes over standard input and ends the process. A program whose first argument is InterpreterArgument
// calls it before it does anything else.
func InterpreterMain() {
	if runInterpreter(os.Stdin, os.Stdout) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// runInterpreter runs the program that the first frame holds. The error is that of the streams.
func runInterpreter(in io.Reader, out io.Writer) error {
	first, err := receiveFrame(in)
	if err != nil || first.Start == nil {
		return errors.Join(err, errors.New("no program"))
	}
	p := &program{in: in, out: out, start: *first.Start, required: map[string][]string{}}
	stop := p.watchMemory()
	defer stop()
	done := p.run()
	if err := p.flush(); err != nil {
		return err
	}
	return p.send(interpreterFrame{Done: &done})
}

// program is a program while it runs.
type program struct {
	in    io.Reader
	start interpreterStart

	mu  sync.Mutex // one frame at a time
	out io.Writer

	required map[string][]string // by the names of the tools
	printed  []byte              // that is not sent yet
	total    int                 // bytes that were printed
	lost     error               // of the streams
}

// watchMemory ends the process when it uses more than it may. It works in a thread of its own, so that it also ends a step
// that allocates for a long time.
func (p *program) watchMemory() (stop func()) {
	const every = 3 * time.Millisecond
	quit := make(chan struct{})
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			metrics.Read(sample)
			if used := int64(sample[0].Value.Uint64() - sample[1].Value.Uint64()); p.start.Memory > 0 && used > p.start.Memory {
				_ = p.send(interpreterFrame{Done: &interpreterDone{Limit: "memory"}})
				os.Exit(1)
			}
		}
	}()
	return func() { close(quit) }
}

// options are the parts of the language beside the core that programs may use.
var options = syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}

// run runs the program to its end.
func (p *program) run() (done interpreterDone) {
	thread := &starlark.Thread{Name: "program", Print: p.print}
	thread.SetMaxExecutionSteps(p.start.Steps)
	reached := false
	thread.OnMaxSteps = func(t *starlark.Thread) {
		reached = true
		t.Cancel("the limit of steps")
	}
	defer func() {
		if e := recover(); e != nil { // a fault of the interpreter, or a value that is too large for it
			done = interpreterDone{Error: fmt.Sprint(e)}
		}
		done.Steps = thread.ExecutionSteps()
	}()
	names := p.builtins()
	options := options
	_, code, err := starlark.SourceProgramOptions(&options, "program", p.start.Code, func(name string) bool {
		return names[name] != nil || p.isTool(name, names)
	})
	if err == nil {
		_, err = code.Init(thread, names)
	}
	switch {
	case p.lost != nil:
		return interpreterDone{Error: p.lost.Error()}
	case p.total > mostPrinted:
		return interpreterDone{Limit: "output"}
	case reached:
		return interpreterDone{Limit: "steps"}
	case err != nil:
		return interpreterDone{Error: explain(err, p.start.Code)}
	}
	return interpreterDone{}
}

// isTool asks whether a name is that of a tool, and makes it a function.
func (p *program) isTool(name string, names starlark.StringDict) bool {
	if !p.known(name) {
		return false
	}
	names[name] = starlark.NewBuiltin(name, p.call)
	return true
}

// known asks whether there is a tool.
func (p *program) known(name string) bool {
	if _, asked := p.required[name]; asked {
		return true
	}
	answer, err := p.ask(interpreterFrame{Name: name})
	if err != nil || answer.Tool == nil || !answer.Tool.Known {
		return false
	}
	p.required[name] = answer.Tool.Required
	return true
}

// ask sends a frame and waits for the answer.
func (p *program) ask(f interpreterFrame) (interpreterFrame, error) {
	err := p.flush()
	if err == nil {
		err = p.send(f)
	}
	var answer interpreterFrame
	if err == nil {
		answer, err = receiveFrame(p.in)
	}
	if err != nil && p.lost == nil {
		p.lost = err
	}
	return answer, err
}

func (p *program) send(f interpreterFrame) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return sendFrame(p.out, f)
}

// pieceBytes is how much of what is printed is sent at once.
const pieceBytes = 16 << 10

// mostPrinted is how much a program may print.
const mostPrinted = 4 << 20

func (p *program) print(thread *starlark.Thread, text string) {
	if p.total += len(text); p.total > mostPrinted {
		thread.Cancel("the limit of output")
		return
	}
	p.printed = append(append(p.printed, text...), '\n')
	if len(p.printed) >= pieceBytes && p.flush() != nil {
		thread.Cancel("the reader is gone")
	}
}

// flush sends what was printed.
func (p *program) flush() error {
	if len(p.printed) == 0 {
		return nil
	}
	text := string(p.printed)
	p.printed = p.printed[:0]
	return p.send(interpreterFrame{Print: text})
}
