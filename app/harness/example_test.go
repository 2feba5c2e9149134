package harness_test

import (
	"context"
	"fmt"
	"iter"
	"os"

	"rein/app/harness"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/script"
	"rein/model"
)

// A harness is opened for a directory. A call that needs an approval suspends the session; the request is data in the
// inbox, which any process can answer; the session then continues.
func Example() {
	home, err := os.MkdirTemp("", "rein-example-")
	check(err)
	defer os.RemoveAll(home)
	work, ctx := home+"/work", context.Background()
	check(os.MkdirAll(work+"/build", 0o700))
	lines, err := script.Parse([]byte(`turns: [{calls: [{name: bash, args: {command: rm -r build}}]}, {text: It is gone.}]`))
	check(err)
	dirs := settings.Dirs{Config: home + "/config", Sessions: home + "/sessions", Output: home + "/output", Private: home + "/private", State: home + "/state"}
	h, err := harness.Open(ctx, harness.Options{Dir: work, Dirs: dirs, Terms: harness.Terms{Sandbox: "off"}, Unattended: harness.Suspend})
	check(err)
	defer h.Close(ctx)
	s, err := h.Start(ctx, harness.NewSession{Model: &script.Model{Script: lines}})
	check(err)
	follow(s.Send(ctx, model.Text("remove the build directory")))
	pending, err := h.Inbox().Pending()
	check(err)
	for _, r := range pending {
		fmt.Println("approve:", r.Tool, r.Intent.Command)
		_, err := h.Inbox().Answer(r.Session, r.Call, r.Hash, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
		check(err)
	}
	follow(s.Resume(ctx))
	// Output:
	// stopped: waiting
	// approve: bash rm -r build
	// answer: It is gone.
	// stopped: done
}

// follow prints the answer, and why the turn stopped.
func follow(events iter.Seq2[event.Event, error]) {
	for e, err := range events {
		check(err)
		switch {
		case e.Kind == event.Responded && e.Text != "":
			fmt.Println("answer:", e.Text)
		case e.Kind == event.Stopped:
			fmt.Println("stopped:", e.Stop)
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
