package guards

import (
	"reflect"
	"slices"
	"sync"

	"rein/guard/effect"
	"rein/kit/shell"
)

// What is remembered: the reports of the calls of one turn, while they are judged and approved. A long command may have a
// report of several megabytes, so the length of all commands together is limited; the newest report is always kept.
const (
	keptReports  = 8
	keptCommands = 128 << 10 // bytes
)

// recentReports are the last reports that were made, oldest first. A report depends on nothing but the command and its
// context, so an equal command in an equal context has the same report.
type recentReports struct {
	lock sync.Mutex
	all  []recentReport
}

type recentReport struct {
	command string
	ctx     shell.Context
	report  *effect.Report
}

// read returns the report of a command. Two goroutines that read the same new command both parse it.
func (r *recentReports) read(command string, ctx shell.Context) *effect.Report {
	if known := r.find(command, ctx); known != nil {
		return known
	}
	made := recentReport{command, ctx, shell.Analyze(command, ctx)}
	r.lock.Lock()
	defer r.lock.Unlock()
	first, bytes := len(r.all), len(command)
	for first > 0 && len(r.all)-first < keptReports-1 && bytes+len(r.all[first-1].command) <= keptCommands {
		first--
		bytes += len(r.all[first].command)
	}
	r.all = append(slices.Clone(r.all[first:]), made)
	return made.report
}

func (r *recentReports) find(command string, ctx shell.Context) *effect.Report {
	r.lock.Lock()
	all := r.all // read appends to a copy, so these entries do not change
	r.lock.Unlock()
	for _, known := range all {
		if known.command == command && reflect.DeepEqual(known.ctx, ctx) {
			return known.report
		}
	}
	return nil
}
