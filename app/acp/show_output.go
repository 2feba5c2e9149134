package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// lookEvery is how often ShowOutput looks for more.
const lookEvery = 50 * time.Millisecond

// ShowOutput writes the output of a command to out while the command runs, and returns its exit code. It is what rein starts in
// a terminal of the client; name is a file that Serve made.
func ShowOutput(ctx context.Context, name string, out io.Writer) (code int, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // the command has ended, and its output was removed
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		end, ended := os.ReadFile(name + endSuffix) // before the output, so that nothing of it is lost
		if _, err := io.Copy(out, f); err != nil {
			return 0, err
		}
		if ended == nil {
			code, err := strconv.Atoi(string(end))
			if err != nil {
				return 0, fmt.Errorf("the end of the output: %w", err)
			}
			return code, nil
		}
		if _, err := os.Stat(name); err != nil {
			return 0, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-look.C:
		}
	}
}
