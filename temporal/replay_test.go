package temporal

import (
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Workflows that began with an earlier version continue with this one: the histories of testdata were recorded on a server, by
// `REIN_TEMPORAL_E2E=1 go test ./endtoend -run TwoHosts -record ../testdata/histories`. A history that was released stays.
func TestRecordedHistories(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no histories: %v", err)
	}
	for _, file := range files {
		replayer := worker.NewWorkflowReplayer()
		replayer.RegisterWorkflowWithOptions(Workflow, workflow.RegisterOptions{Name: WorkflowName})
		replayer.RegisterWorkflowWithOptions(ScheduledWorkflow, workflow.RegisterOptions{Name: ScheduledName})
		if err := replayer.ReplayWorkflowHistoryFromJSONFile(quiet{}, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
