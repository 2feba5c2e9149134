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
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"rein/app/harness"
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
	code := execute(ctx, newRoot(), acpFlagAsCommand(os.Args[1:]))
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
	root := newChat(runSetup)
	for i, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Work:", []*cobra.Command{newRun(), newReview(), newDemo(), newApprove(), newWeb(programVersion()), newServe(programVersion()), newAttach(), newACP()}},
		{"Recorded sessions and changes:", []*cobra.Command{newSessions(), newReplay(), newDiff(), newUndo(), newRedo(), newStats()}},
		{"Set up and check:", []*cobra.Command{newDoctor(), newModels(harness.Available), newSetup(), newRules(), newTrust(), newSandbox(), newImport(), newBackup(), newRestore(), newKeys(), newContext(), newPrompt()}},
		{"Extend it:", []*cobra.Command{newAgents(), newSkills(), newHooks(), newMCP(), newMemory(), newCron()}},
		{"Use single parts:", []*cobra.Command{newCall(), newTools(), newEdit(), newGuard(), newDialect(), newRepair(), newSchema(), newModelServer()}},
		{"Measure:", []*cobra.Command{newEval(), newBench()}},
	} {
		id := strconv.Itoa(i)
		root.AddGroup(&cobra.Group{ID: id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	root.AddCommand(newVersion(), newDocument())
	return root
}
