package acp

import (
	"context"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// editorTime is how long the client has to give or to take a file. A client that is slower than that hangs.
const editorTime = 10 * time.Second

// editor reads and writes files through the client, as far as it can: text that is not saved is what tools read. A
// function is nil where the client cannot.
func (s *session) editor() (read func(path string) ([]byte, bool), write func(path string, text []byte) error) {
	can := s.a.able().Fs
	if can.ReadTextFile {
		read = func(path string) ([]byte, bool) {
			ctx, cancel := context.WithTimeout(s.a.ctx, editorTime)
			defer cancel()
			answer, err := sdk.SendRequest[sdk.ReadTextFileResponse](s.a.client, ctx, sdk.ClientMethodFsReadTextFile,
				sdk.ReadTextFileRequest{SessionId: sdk.SessionId(s.ID()), Path: path})
			if err != nil {
				s.a.o.Log.Debug("the client does not give a file", "path", path, "error", err)
			}
			return []byte(answer.Content), err == nil
		}
	}
	if can.WriteTextFile {
		write = func(path string, text []byte) error {
			ctx, cancel := context.WithTimeout(s.a.ctx, editorTime)
			defer cancel()
			return s.a.client.SendRequestNoResult(ctx, sdk.ClientMethodFsWriteTextFile,
				sdk.WriteTextFileRequest{SessionId: sdk.SessionId(s.ID()), Path: path, Content: string(text)})
		}
	}
	return read, write
}
