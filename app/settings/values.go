package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rein/guard"
	"rein/kit/sandbox"
)

// modeAliases are the names that other harnesses gave the modes.
var modeAliases = map[string]string{
	"default": "ask", "manual": "ask", "untrusted": "ask", "on-request": "supervised",
	"acceptEdits": "supervised", "auto_edit": "supervised", "workspace-write": "supervised",
	"dontAsk": "supervised", "bypassPermissions": "full", "yolo": "full", "never": "full", "danger-full-access": "full",
}

// Mode returns the mode of a name, ours or another harness's.
func Mode(name string) (guard.Mode, error) {
	if other, ok := modeAliases[name]; ok {
		name = other
	}
	return guard.ParseMode(name)
}

// efforts are how much reasoning rein may request of a model; no provider knows them all.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// Efforts are the values of --effort.
func Efforts() []string { return slices.Clone(efforts) }

// CheckEffort refuses a name that is not one of Efforts; "" is none.
func CheckEffort(name string) error {
	if name == "" || slices.Contains(efforts, name) {
		return nil
	}
	return fmt.Errorf("no such effort: %q (expected %s)", name, strings.Join(efforts, ", "))
}

// CheckSandbox refuses what is no value of --sandbox; "" is the default.
func CheckSandbox(mode string) error {
	switch sandbox.Mode(mode) {
	case "", sandbox.Auto, sandbox.Required, sandbox.Off:
		return nil
	}
	return fmt.Errorf("no such sandbox mode: %q (expected required, auto or off)", mode)
}

// check refuses a backend that there is not, and one that lacks what it needs.
func (b SandboxBackend) check() error {
	if b.Name == "" {
		return nil
	}
	backend, err := sandbox.ParseBackend(b.Name)
	switch {
	case err != nil:
		return err
	case backend == sandbox.BackendContainer && b.Image == "":
		return errors.New("sandboxBackend: the backend container needs an image")
	case backend == sandbox.BackendExternal && len(b.Command) == 0:
		return errors.New("sandboxBackend: the backend external needs a command")
	}
	return nil
}

// WorkspaceName is a directory's name among those of all workspaces.
func WorkspaceName(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Base(workspace) + "-" + hex.EncodeToString(sum[:6])
}

// ToolNames are the names that rules may use, as far as they are known without starting a session.
func ToolNames() []string {
	return []string{"view_image", "view_video", "screenshot", "send_file", "web_search",
		"browser_navigate", "browser_navigate_back", "browser_click", "browser_type", "browser_fill_form", "browser_select_option",
		"browser_press_key", "browser_hover", "browser_handle_dialog", "browser_snapshot", "browser_find", "browser_take_screenshot",
		"browser_wait_for", "browser_tabs", "browser_console_messages", "browser_network_requests", "browser_close", "browser_evaluate", "browser_file_upload", "browser_download",
		"bash", "job_output", "job_kill", "job_input", "read_file", "write_file", "edit_file", "apply_patch", "insert", "undo_edit", "agent_apply", "agent_diff",
		"notebook_edit", "list_dir", "glob", "grep", "web_fetch", "http_request", "todo", "request_access", "recall", "ask_user", "present_plan", "current_time", "set_timezone", "token_usage", "calculate", "memory_store", "memory_recall", "memory_list", "memory_forget", "session_search", "schedule", "notify", "git_status", "git_diff", "git_log", "git_show", "git_blame", "program", "run_code", "lsp", "skill", "lsp_edit",
		"agent", "agent_status", "agent_wait", "agent_message", "agent_stop", "agent_list", "tool_search"}
}
