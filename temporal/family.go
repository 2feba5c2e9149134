package temporal

import (
	"slices"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"
)

// family takes what steps say of sub-agents, and what the session above says.
func (s *session) family(ctx workflow.Context) {
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var a ChildTask
			workflow.GetSignalChannel(ctx, ChildName).Receive(ctx, &a)
			s.begin(ctx, a)
		}
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var a Answer
			workflow.GetSignalChannel(ctx, AnsweredName).Receive(ctx, &a)
			_ = s.answered(ctx, a) // the session above has said what is wrong with it
		}
	})
}

// begin starts the workflow of a sub-agent: it has the host and the models of this session, and ends with its turn. Where one for an earlier task
// still runs, it waits for its end.
func (s *session) begin(ctx workflow.Context, a ChildTask) {
	is := Child{ID: a.ID, Task: a.Task, Host: or(a.Host, s.Host)}
	for i, c := range s.Children {
		if c.ID != is.ID || c.Task != is.Task {
			continue
		}
		if c.Host != is.Host { // the step above was lost, and another host has taken it up
			s.Children[i] = is
			workflow.SignalExternalWorkflow(ctx, c.ID, "", MoveName, is.Host)
		}
		return
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		same := func(c Child) bool { return c.ID == a.ID }
		if workflow.Await(ctx, func() bool { return !slices.ContainsFunc(s.Children, same) }) != nil {
			return
		}
		s.Children = append(s.Children, is)
		in := Session{ID: a.ID, Host: is.Host, Models: s.start.Models, About: s.start.About, After: a.After, Kept: s.Kept, Lost: s.start.Lost, Once: true, Task: &a.Assignment}
		running := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: a.ID, TaskQueue: workflow.GetInfo(ctx).TaskQueueName, Memo: in.memo(),
			WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL, WaitForCancellation: true})
		if err := workflow.ExecuteChildWorkflow(running, WorkflowName, in).Get(ctx, nil); err != nil {
			workflow.GetLogger(ctx).Warn("the workflow of a sub-agent failed", "session", a.ID, "error", err)
		}
		s.Children = slices.DeleteFunc(s.Children, same)
	})
}

// tellChildren passes a signal on to the sub-agents.
func (s *session) tellChildren(ctx workflow.Context, signal string, arg any) {
	for _, c := range s.Children {
		workflow.SignalExternalWorkflow(ctx, c.ID, "", signal, arg)
	}
}

// asked is the place of the request that an answer is for; -1: it does not wait. The session above names it as it sees it.
func (s *session) asked(a Answer) int {
	return slices.IndexFunc(s.Pending, func(p Pending) bool { return p.ID == a.Request || p.Session+"/"+p.ID == a.Request })
}

// answered takes an answer, where it counts. Those of sub-agents get it too.
func (s *session) answered(ctx workflow.Context, a Answer) error {
	if err := s.refuses(a); err != nil {
		return err
	}
	asked := s.Pending[s.asked(a)]
	a.Request = asked.ID
	s.Answers = append(s.Answers, a)
	if asked.Session == "" || asked.Session == s.start.ID {
		return nil
	}
	own := func(c Child) bool { return c.ID == asked.Session }
	for _, c := range s.Children {
		if own(c) || !slices.ContainsFunc(s.Children, own) { // it may be below any of them
			workflow.SignalExternalWorkflow(ctx, c.ID, "", AnsweredName, a)
		}
	}
	return nil
}

// endChildren ends the workflows of the sub-agents of a session that ends.
func (s *session) endChildren(ctx workflow.Context) {
	if len(s.Children) == 0 {
		return
	}
	s.tellChildren(ctx, CancelName, "")
	s.tellChildren(ctx, CloseName, "")
	_, _ = workflow.AwaitWithTimeout(ctx, hostEnds, func() bool { return len(s.Children) == 0 }) // the server cancels those that are left
}
