package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// contain makes an error of a panic in what handles a message, which would end the program. The client gets no words of the
// panic: they may hold anything.
func contain(log *slog.Logger) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
			defer func() {
				if wrong := recover(); wrong != nil {
					if log != nil {
						log.Error("panic", "method", method, "value", fmt.Sprint(wrong), "stack", string(debug.Stack()))
					}
					result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: method + " failed inside of rein"}
				}
			}()
			return next(ctx, method, r)
		}
	}
}
