// Command rein is the harness between a language model and the world: command line, sessions and tools.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/acp"
	"rein/cmd/rein/internal/agents"
	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/cron"
	"rein/cmd/rein/internal/doctor"
	"rein/cmd/rein/internal/folder"
	"rein/cmd/rein/internal/hooks"
	"rein/cmd/rein/internal/importing"
	"rein/cmd/rein/internal/mcp"
	"rein/cmd/rein/internal/memory"
	"rein/cmd/rein/internal/models"
	"rein/cmd/rein/internal/modeltext"
	"rein/cmd/rein/internal/rules"
	"rein/cmd/rein/internal/serve"
	"rein/cmd/rein/internal/sessions"
	"rein/cmd/rein/internal/skills"
	"rein/cmd/rein/internal/stats"
	"rein/cmd/rein/internal/task"
	"rein/cmd/rein/internal/undo"
	"rein/harness"
	"rein/harness/settings"
	"rein/kit/sandbox"
	"rein/kit/tools/code"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == code.InterpreterArgument {
		code.InterpreterMain() // the process of a program that calls tools
	}
	collectLater()
	if err := sandbox.HardenProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "rein: warning:", err)
	}
	cli.PipesBreakQuietly()
	if err := settings.DefaultDirs().UseKeys(); err != nil {
		fmt.Fprintln(os.Stderr, "rein: warning:", err)
	}
	ctx, stop := cli.EndedBy(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	code := cli.Execute(ctx, newRoot(), acp.AsCommand(os.Args[1:]))
	stop()
	os.Exit(code)
}

// collectLater lets the heap grow to 8 MB, instead of 4, before the first garbage collection: a collection while a session
// opens costs several milliseconds. From the first one on the usual percentage holds, so the peak of a session stays. With
// 16 MB the start is faster by 3 ms, and the peak 6 MB higher. A GOGC of the user's stays.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const later = 200
	usual := debug.SetGCPercent(later)
	runtime.AddCleanup(new([64]byte), func(int) {
		if own := debug.SetGCPercent(usual); own != later { // a command has chosen its own
			debug.SetGCPercent(own)
		}
	}, 0)
}

func newRoot() *cobra.Command {
	root := task.NewChat(models.Setup)
	for i, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Work:", []*cobra.Command{task.NewRun(), newDemo(), sessions.NewApprove(), serve.NewWeb(cli.Version()), serve.New(cli.Version()), task.NewAttach(), acp.New()}},
		{"Recorded sessions and changes:", []*cobra.Command{sessions.New(), undo.New(), undo.NewRedo(), stats.New()}},
		{"Set up and check:", []*cobra.Command{doctor.New(), models.New(harness.Available), models.NewSetup(), rules.NewRules(), folder.NewTrust(), newSandbox(), importing.New(), task.NewKeys(), folder.NewContext(), folder.NewPrompt()}},
		{"Extend it:", []*cobra.Command{agents.New(), skills.New(), hooks.New(), mcp.New(), memory.New(), cron.New()}},
		{"Use single parts:", []*cobra.Command{newCall(), newTools(), newEdit(), rules.NewGuard(), modeltext.NewDialect(), modeltext.NewRepair(), modeltext.NewSchema(), newModelServer()}},
	} {
		id := strconv.Itoa(i)
		root.AddGroup(&cobra.Group{ID: id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	root.AddCommand(cli.NewVersion(), newDocument())
	return root
}
