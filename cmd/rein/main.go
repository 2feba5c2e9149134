// Command rein is the harness between a language model and the world: command line, sessions and tools.
//
// The files of a command begin with its name: sessions_list.go has rein sessions list. Beside them are the files of what
// commands share: terminal_*.go ask a person for approvals, keyboard*.go and editor*.go read what is typed, screen*.go show a
// session line by line, remote_*.go and server_*.go work on sessions of a server.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"rein/app/settings"
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
	pipesBreakQuietly()
	if args, ok := onTemporal(os.Args[1:]); ok { // before keys are read: that program needs none
		ctx, stop := endedBy(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
		code := runOnTemporal(ctx, args)
		stop()
		os.Exit(code)
	}
	if err := settings.DefaultDirs().UseKeys(); err != nil {
		fmt.Fprintln(os.Stderr, "rein: warning:", err)
	}
	ctx, stop := endedBy(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	args := acpFlagAsCommand(os.Args[1:])
	code := execute(ctx, newRoot(append(args, "")[0]), args)
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

// commandGroups are the commands of the program below rein itself, in the groups of its help. The name of each is that of the command that it makes.
var commandGroups = []struct {
	title    string
	commands []namedCommand
}{
	{"Work:", []namedCommand{{"run", newRun}, {"review", newReview}, {"demo", newDemo}, {"approve", newApprove}, {"web", newWeb}, {"serve", newServe}, {"attach", newAttach}, {"acp", newACP}}},
	{"Recorded sessions and changes:", []namedCommand{{"sessions", newSessions}, {"replay", newReplay}, {"diff", newDiff}, {"undo", newUndo}, {"redo", newRedo}, {"stats", newStats}}},
	{"Set up and check:", []namedCommand{{"doctor", newDoctor}, {"models", newModels}, {"setup", newSetup}, {"rules", newRules}, {"trust", newTrust}, {"sandbox", newSandbox},
		{"import", newImport}, {"backup", newBackup}, {"restore", newRestore}, {"keys", newKeys}, {"context", newContext}, {"prompt", newPrompt}}},
	{"Extend it:", []namedCommand{{"agents", newAgents}, {"skills", newSkills}, {"hooks", newHooks}, {"mcp", newMCP}, {"memory", newMemory}, {"cron", newCron}}},
	{"Use single parts:", []namedCommand{{"call", newCall}, {"tools", newTools}, {"edit", newEdit}, {"guard", newGuard}, {"dialect", newDialect}, {"repair", newRepair}, {"schema", newSchema}, {"model-server", newModelServer}}},
	{"Measure:", []namedCommand{{"eval", newEval}, {"bench", newBench}}},
	{"", []namedCommand{{"version", newVersion}, {"document", newDocument}}},
}

type namedCommand struct {
	name string
	make func() *cobra.Command
}

// newRoot makes the commands of the program. Where only is the name of one, it makes no other: all of them take several milliseconds.
func newRoot(only string) *cobra.Command {
	root := newChat(runSetup)
	for _, g := range commandGroups {
		for _, c := range g.commands {
			if c.name == only {
				root.AddCommand(c.make())
				return root
			}
		}
	}
	for _, g := range commandGroups {
		if g.title != "" {
			root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		}
		for _, c := range g.commands {
			made := c.make()
			made.GroupID = g.title
			root.AddCommand(made)
		}
	}
	return root
}
