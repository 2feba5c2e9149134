package temporal

import (
	"context"
	"fmt"
	"iter"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// hostMemo is what the server keeps beside a workflow, for lists: the host on which the session began.
const hostMemo = "host"

func (s Session) memo() map[string]any { return map[string]any{hostMemo: s.Host} }

// Listed is a session as the server lists it.
type Listed struct {
	ID, Host string // Host: on which it began
	Began    time.Time
	Open     bool // its workflow runs
}

// Sessions are those of the queue that the server knows, the newest first. It forgets those that are closed after a while.
func (c *Client) Sessions(ctx context.Context) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		in := &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowType = '%s' AND TaskQueue = '%s'", WorkflowName, or(c.Queue, DefaultQueue)), PageSize: 500}
		known := map[string]bool{}
		for {
			out, err := c.Temporal.ListWorkflow(ctx, in)
			if err != nil {
				yield(Listed{}, err)
				return
			}
			for _, w := range out.GetExecutions() {
				l := c.listed(w)
				if w.GetParentExecution() != nil { // a sub-agent
					continue
				}
				if !known[l.ID] && !yield(l, nil) { // one that continued has several runs
					return
				}
				known[l.ID] = true
			}
			if in.NextPageToken = out.GetNextPageToken(); len(in.NextPageToken) == 0 {
				return
			}
		}
	}
}

// Session finds a session of the queue; ok is false where there is none.
func (c *Client) Session(ctx context.Context, id string) (l Listed, ok bool, err error) {
	d, err := c.Temporal.DescribeWorkflowExecution(ctx, id, "")
	if Gone(err) {
		return l, false, nil
	}
	w := d.GetWorkflowExecutionInfo()
	return c.listed(w), err == nil && w.GetType().GetName() == WorkflowName && w.GetTaskQueue() == or(c.Queue, DefaultQueue), err
}

func (c *Client) listed(w *workflow.WorkflowExecutionInfo) Listed {
	l := Listed{ID: w.GetExecution().GetWorkflowId(), Began: w.GetStartTime().AsTime(), Open: w.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING}
	_ = c.Keys.Converter().FromPayload(w.GetMemo().GetFields()[hostMemo], &l.Host) // without the key nobody knows the host
	return l
}
