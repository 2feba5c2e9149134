package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/guard"
	"rein/tool"
)

const judgeName = "judge_command"

type judgeArgs struct {
	Command string `json:"command"`
	Cwd     string `json:"cwd,omitempty"`
	Mode    string `json:"mode,omitempty"`
}

// judgement is what judge_command answers.
type judgement struct {
	Decision string   `json:"decision"` // allow, ask, deny
	Severity string   `json:"severity"`
	Reason   string   `json:"reason,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	Rules    []string `json:"rules"`
	Effects  []string `json:"effects"`
}

// addJudge offers the guard itself, so that other programs can ask about a command before they run it.
func (s *Server) addJudge() {
	text := func(about string) map[string]any { return map[string]any{"type": "string", "description": about} }
	list := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	s.sdk.AddTool(&sdk.Tool{
		Name: judgeName, Description: "Judge a shell command by the guard and the user's rules, without running it: whether it is allowed, needs an approval (ask) or is denied, and what it would do.",
		InputSchema: map[string]any{"type": "object", "required": []string{"command"}, "additionalProperties": false, "properties": map[string]any{
			"command": text("the whole command line"), "cwd": text("where it would start; the workspace if not given"),
			"mode": map[string]any{"type": "string", "enum": []string{"read-only", "plan", "ask", "supervised", "full"}, "description": "supervised if not given"}}},
		OutputSchema: map[string]any{"type": "object", "required": []string{"decision", "severity", "rules", "effects"}, "properties": map[string]any{
			"decision": map[string]any{"enum": []string{"allow", "ask", "deny"}}, "severity": text(""), "reason": text(""), "hint": text(""), "rules": list, "effects": list}},
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in judgeArgs
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil || strings.TrimSpace(in.Command) == "" {
			return failed("judge_command needs a command"), nil
		}
		j, err := s.judge(ctx, in)
		if err != nil {
			return failed(err.Error()), nil
		}
		encoded, err := json.Marshal(j)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{StructuredContent: j, Content: []sdk.Content{&sdk.TextContent{Text: string(encoded)}}}, nil
	})
}

func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func (s *Server) judge(ctx context.Context, in judgeArgs) (judgement, error) {
	mode := guard.Supervised
	if in.Mode != "" {
		var err error
		if mode, err = guard.ParseMode(in.Mode); err != nil {
			return judgement{}, err
		}
	}
	guards, _, err := harness.Guards(s.h.Dirs(), s.h.Root())
	if err != nil {
		return judgement{}, fmt.Errorf("the rules cannot be read: %w", err)
	}
	c := guards.Programs.Prepare(guard.Case{Call: tool.Call{ID: judgeName, Name: "bash"}, Effect: tool.Reads | tool.Writes | tool.Runs | tool.Reaches,
		Intent: tool.Intent{Command: in.Command, Cwd: in.Cwd}, Mode: mode, Root: s.h.Root()})
	v := guards.Judge(ctx, c)
	j := judgement{Decision: v.Decision.String(), Severity: v.Severity.String(), Reason: v.Reason, Hint: v.Hint, Rules: v.Rules, Effects: v.Effects}
	if j.Rules == nil {
		j.Rules = []string{}
	}
	if j.Effects == nil {
		j.Effects = []string{}
	}
	if v.Decision == guard.Ask {
		if a, err := guards.Approve(ctx, c, v); err == nil && a.Choice == guard.Approved {
			j.Decision, j.Reason = guard.Allow.String(), "allowed by "+a.By.String()
		}
	}
	return j, nil
}
