package harness_test

import (
	"context"
	"fmt"
	"os"

	"rein/event"
	"rein/guard"
	"rein/harness"
	"rein/harness/settings"
	"rein/model"
	"rein/model/script"
)

// A harness is opened for a directory. A call that needs an approval suspends the session; the request is data in the
// inbox, which any process can answer; the session then continues.
func Example() {
	home, err := os.MkdirTemp("", "rein-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	work, ctx := home+"/work", context.Background()
	if err := os.MkdirAll(work+"/build", 0o700); err != nil {
		panic(err)
	}
	lines, err := script.Parse([]byte(`turns: [{calls: [{name: bash, args: {command: rm -r build}}]}, {text: It is gone.}]`))
	if err != nil {
		panic(err)
	}
	h, err := harness.Open(ctx, harness.Options{
		Dir: work, Dirs: settings.Dirs{Config: home + "/config", Sessions: home + "/sessions", Output: home + "/output", Private: home + "/private", State: home + "/state"},
		Sandbox: "off", Unattended: harness.Suspend,
	})
	if err != nil {
		panic(err)
	}
	defer h.Close(ctx)
	s, err := h.Start(ctx, harness.NewSession{Model: &script.Model{Script: lines}})
	if err != nil {
		panic(err)
	}
	for e := range s.Send(ctx, model.Text("remove the build directory")) {
		if e.Kind == event.Stopped {
			fmt.Println("stopped:", e.Stop)
		}
	}
	pending, err := h.Inbox().Pending()
	if err != nil {
		panic(err)
	}
	for _, r := range pending {
		fmt.Println("approve:", r.Tool, r.Intent.Command)
		if _, err := h.Inbox().Answer(r.Session, r.Call, r.Hash, guard.Answer{Choice: guard.Approved, By: guard.ByUser}); err != nil {
			panic(err)
		}
	}
	for e := range s.Resume(ctx) {
		if e.Kind == event.Stopped {
			fmt.Println("stopped:", e.Stop, e.Text)
		}
	}
	// Output:
	// stopped: waiting
	// approve: bash rm -r build
	// stopped: done It is gone.
}
