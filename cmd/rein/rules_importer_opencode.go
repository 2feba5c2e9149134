package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// opencodeRule is one rule of opencode: of all that match, the last counts there.
type opencodeRule struct{ tool, pattern, decision string }

func (r opencodeRule) all() bool { return r.pattern == "" || r.pattern == "*" || r.pattern == "**" }

// String spells the rule as one of ours.
func (r opencodeRule) String() string {
	if r.all() {
		return r.tool
	}
	return r.tool + "(" + r.pattern + ")"
}

// opencode: one decision for everything, or a map of tools to a decision or to patterns with decisions.
func (im *rulesImporter) opencode(raw json.RawMessage) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return im.ordered([]opencodeRule{{"*", "", one}})
	}
	var list []opencodeRule
	err := readInOrder(raw, func(tool string, value json.RawMessage) error {
		var one string
		if json.Unmarshal(value, &one) == nil {
			list = append(list, opencodeRule{tool, "", one})
			return nil
		}
		return readInOrder(value, func(pattern string, value json.RawMessage) error {
			list = append(list, opencodeRule{tool, pattern, ""})
			return json.Unmarshal(value, &list[len(list)-1].decision)
		})
	})
	if err != nil {
		return err
	}
	return im.ordered(list)
}

// opencodeList: its second form, a list of actions, resources and effects.
func (im *rulesImporter) opencodeList(raw json.RawMessage) error {
	var rules []struct{ Action, Resource, Effect string }
	if err := json.Unmarshal(raw, &rules); err != nil {
		return err
	}
	var list []opencodeRule
	for _, r := range rules {
		list = append(list, opencodeRule{r.Action, r.Resource, r.Effect})
	}
	return im.ordered(list)
}

// ordered turns rules of which the last counts into rules of which the strictest does. What a later rule for everything
// makes void is left out unless it denies; a rule that asks about everything but for exceptions is left to the guard.
func (im *rulesImporter) ordered(list []opencodeRule) error {
	for i, r := range list {
		name, known := opencodeTool(r.tool)
		later := list[i+1:]
		switch {
		case !known:
			im.note("%s is not a tool here; left out", r.tool)
			continue
		case r.tool == "*" && r.decision == "allow":
			im.note("everything is allowed there; left out: see the setting \"mode\"")
			continue
		case strings.Contains(r.pattern, "?"):
			im.note("%s: a pattern with \"?\" cannot be expressed here; left out", r)
			continue
		case isVoided(r, later) && r.decision != "deny":
			im.note("%s %s never counted there, because a later rule covers it; left out", r.decision, r)
			continue
		case isVoided(r, later):
			im.note("deny %s never counted there, because a later rule covers it; here it does", r)
		case r.decision == "ask" && r.all() && hasException(r, later):
			im.note("ask %s is left out, because later rules allow parts of it, and here ask comes before allow: what they do not cover is the guard's to judge; it asks about what it does not know to be harmless", r)
			continue
		case r.decision != "allow" && hasException(r, later):
			im.note("%s %s comes first here, so that what later rules allow of it is not", r.decision, r)
		}
		pattern := strings.Replace(r.pattern, "$HOME/", "~/", 1)
		im.add(r.decision, opencodeRule{name, pattern, r.decision}.String())
	}
	im.note("there the last rule that matches counts, here deny comes before ask and ask before allow, whatever the order")
	return nil
}

// isVoided reports whether a later rule covers all that a rule is about.
func isVoided(r opencodeRule, later []opencodeRule) bool {
	return slices.ContainsFunc(later, func(l opencodeRule) bool {
		return (l.tool == r.tool || l.tool == "*") && l.decision != r.decision && (l.all() || l.pattern == r.pattern)
	})
}

// hasException reports whether a later rule allows a part of what a rule is about.
func hasException(r opencodeRule, later []opencodeRule) bool {
	return slices.ContainsFunc(later, func(l opencodeRule) bool {
		same := l.tool == r.tool && (r.all() || strings.HasPrefix(l.pattern, strings.TrimRight(r.pattern, "* ")))
		return l.decision == "allow" && (same || r.tool == "*")
	})
}

// opencodeTool returns our name of a tool of opencode; false where there is none.
func opencodeTool(name string) (string, bool) {
	switch name {
	case "*", "bash", "glob", "grep":
		return name, true
	case "edit", "write", "patch", "multiedit":
		return "edit_file", true
	case "read":
		return "read_file", true
	case "list":
		return "list_dir", true
	case "webfetch":
		return "web_fetch", true
	case "todowrite", "todoread":
		return "todo", true
	case "task":
		return "agent", true
	}
	return name, strings.HasPrefix(name, "mcp__")
}

// readInOrder reads an object key by key, in the order of the text.
func readInOrder(raw json.RawMessage, each func(key string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name, _ := key.(string)
		if err := each(name, value); err != nil {
			return err
		}
	}
	return nil
}
