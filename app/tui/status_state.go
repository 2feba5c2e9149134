package tui

// statusInput is what the user's own command for the line gets: the fields have the names that such commands of other programs read. b has
// the facts of the line; in and out are tokens of the session.
func statusInput(b statusBar, session, model, version string, in, out int64) map[string]any {
	percent := int64(0)
	if b.Window > 0 {
		percent = b.Context * 100 / b.Window
	}
	return map[string]any{
		"hook_event_name": "Status", "session_id": session, "cwd": b.Dir, "version": version, "mode": b.Mode, "branch": b.Branch, "working": b.Works,
		"model":          map[string]string{"id": model, "display_name": b.Model},
		"workspace":      map[string]string{"current_dir": b.Dir, "project_dir": b.Dir},
		"cost":           map[string]any{"total_cost_usd": b.Cost},
		"context_window": map[string]any{"total_input_tokens": in, "total_output_tokens": out, "context_window_size": b.Window, "used_percentage": percent},
	}
}
