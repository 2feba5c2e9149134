package toolcall

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rein/guard"
	"rein/tool"
)

func TestCallsThatConflictKeepTheirOrder(t *testing.T) {
	rows := []struct {
		rule  string
		calls []tool.Call
		took  time.Duration // each call takes a second
	}{
		{"reads overlap", []tool.Call{call("1", "read", "a"), call("2", "read", "a"), call("3", "read", ".")}, 1},
		{"a write and an edit of a file keep their order", []tool.Call{call("1", "write", "a"), call("2", "write", "a")}, 2},
		{"the same file in another spelling", []tool.Call{call("1", "write", "./x/../a"), call("2", "read", "a")}, 2},
		{"a directory above the file conflicts", []tool.Call{call("1", "write", "d/a"), call("2", "read", "d")}, 2},
		{"the workspace is above every file", []tool.Call{call("1", "write", "d/a"), call("2", "read", ".")}, 2},
		{"a name that only begins the same does not conflict", []tool.Call{call("1", "write", "da"), call("2", "write", "d")}, 1},
		{"writes of different files overlap", []tool.Call{call("1", "write", "a"), call("2", "write", "b")}, 1},
		{"a command waits for a write", []tool.Call{call("1", "write", "a"), call("2", "bash", "ls")}, 2},
		{"a write waits for a command", []tool.Call{call("1", "bash", "ls"), call("2", "write", "a")}, 2},
		{"a read waits for a command", []tool.Call{call("1", "bash", "go generate"), call("2", "read", "a")}, 2},
		{"commands wait for each other", []tool.Call{call("1", "bash", "a"), call("2", "bash", "b")}, 2},
		{"commands known to write nothing overlap", []tool.Call{call("1", "look", "a"), call("2", "look", "b"), call("3", "read", "a")}, 1},
		{"a command known to write nothing waits for a write", []tool.Call{call("1", "write", "a"), call("2", "look", "b")}, 2},
		{"an empty intent waits for no call", []tool.Call{call("1", "bash", "a"), call("2", "think", "b")}, 1},
		{"a chain of three", []tool.Call{call("1", "write", "a"), call("2", "bash", "x"), call("3", "read", "a")}, 3},
		{"twelve reads on eight slots", slices.Repeat([]tool.Call{call("1", "read", "a")}, 12), 2},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var order []string
				var mu sync.Mutex
				work := func(_ context.Context, in pathArgs, _ *tool.Reply) error {
					mu.Lock()
					order = append(order, in.Path)
					mu.Unlock()
					time.Sleep(time.Second)
					return nil
				}
				r := Runner{Mode: guard.Full, Guard: allowAll, Normalize: knowsLook, Tools: set(t,
					named("read", tool.Reads, reads, work), named("write", tool.Writes, writes, work),
					named("bash", tool.Runs, commands, work), named("think", 0, nothing, work),
					named("look", tool.Runs, func(in pathArgs) tool.Intent { return tool.Intent{Command: "look " + in.Path} }, work))}
				start := time.Now()
				results, err := r.Run(t.Context(), Scope{}, row.calls)
				if took := time.Since(start); err != nil || took != row.took*time.Second {
					t.Errorf("took %v, want %d s; %v", took, row.took, err)
				}
				for i, res := range results {
					if res.ID != row.calls[i].ID || res.Failed {
						t.Errorf("result %d is %+v", i, res)
					}
				}
			})
		})
	}
}
