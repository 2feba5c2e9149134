package guards

import (
	"encoding/json"
	"strings"
)

// argument reports whether a rule such as mcp__server__tool(arg:value) is about these arguments: whether the argument of
// that name has that value. A "*" in the value means any text; "a.b" names b inside of a. Of a list, every element must
// have the value for an allow rule, and any for the others. Of our own tools, those have this form whose rules are about no
// command, path or host, such as agent(model:opus).
func (r Rule) argument(args json.RawMessage, every bool) bool {
	name, want, ok := strings.Cut(r.Spec, ":")
	if !ok || kindOf(r.Tool) != aboutTool || strings.HasPrefix(r.Spec, "{") {
		return false
	}
	var value any
	if json.Unmarshal(args, &value) != nil {
		return false
	}
	for _, step := range strings.Split(strings.TrimSpace(name), ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return false
		}
		if value, ok = object[step]; !ok {
			return false
		}
	}
	return hasValue(value, strings.TrimSpace(want), every)
}

func hasValue(value any, want string, every bool) bool {
	list, ok := value.([]any)
	if !ok {
		text, isText := value.(string)
		if !isText {
			encoded, err := json.Marshal(value)
			if err != nil {
				return false
			}
			text = string(encoded)
		}
		return matchStar(want, text)
	}
	for _, one := range list {
		if hasValue(one, want, every) != every {
			return !every
		}
	}
	return every && len(list) > 0
}
