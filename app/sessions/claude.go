package sessions

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// claudeLine is a line of a file of Claude Code. The format is not promised; unknown lines and fields are left out.
type claudeLine struct {
	Type          string    `json:"type"`
	Subtype       string    `json:"subtype"`
	UUID          string    `json:"uuid"`
	Parent        string    `json:"parentUuid"`
	LogicalParent string    `json:"logicalParentUuid"`
	Sidechain     bool      `json:"isSidechain"`
	Meta          bool      `json:"isMeta"`
	Summary       bool      `json:"isCompactSummary"`
	Time          time.Time `json:"timestamp"`
	Session       string    `json:"sessionId"`
	Dir           string    `json:"cwd"`
	Message       struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input      int64 `json:"input_tokens"`
			Output     int64 `json:"output_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// claudeBlock is a piece of a message.
type claudeBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Title    string          `json:"title"`
	Input    json.RawMessage `json:"input"`
	CallID   string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	Failed   bool            `json:"is_error"`
	Source   struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

// readClaude reads a session of Claude Code: the branch that ends in its newest line. A summary of a compaction is left out,
// because what it stands for is there.
func readClaude(b *builder, lines [][]byte) (*Transcript, error) {
	b.Program = "claude-code"
	byID := map[string]*claudeLine{}
	var last *claudeLine
	var all []*claudeLine // without those of sub-agents
	messages := 0
	for _, text := range lines {
		l := &claudeLine{}
		if json.Unmarshal(text, l) != nil {
			b.lose("lines that cannot be read", 1)
			continue
		}
		if l.UUID == "" {
			continue
		}
		byID[l.UUID] = l
		if l.Sidechain {
			b.lose("lines of sub-agents", 1)
			continue
		}
		if l.Type == "user" || l.Type == "assistant" {
			messages++
			last = l
			all = append(all, l)
		}
	}
	branch := withParallel(claudeBranch(byID, last), all)
	for _, l := range branch {
		if l.Type == "user" || l.Type == "assistant" {
			messages--
		}
		b.claude(l)
	}
	b.lose("lines of other branches", messages)
	return b.done()
}

// claudeBranch returns the lines from the first to the last one. Each names its parent; at a compaction the parent is the
// logical one.
func claudeBranch(byID map[string]*claudeLine, last *claudeLine) (branch []*claudeLine) {
	seen := map[string]bool{}
	for l := last; l != nil && !seen[l.UUID]; {
		seen[l.UUID] = true
		branch = append([]*claudeLine{l}, branch...)
		parent := l.Parent
		if parent == "" {
			parent = l.LogicalParent
		}
		l = byID[parent]
	}
	return branch
}

// withParallel adds the results of calls that ran at the same time: each names its own call as its parent, so a branch has only the last.
func withParallel(branch, all []*claudeLine) []*claudeLine {
	answer, end, there := map[string]string{}, map[string]int{}, map[*claudeLine]bool{}
	for i, l := range branch {
		there[l] = true
		for _, block := range claudeBlocks(l.Message.Content) {
			switch block.Type {
			case "tool_use":
				answer[block.ID] = l.Message.ID
			case "tool_result":
				delete(answer, block.CallID)
			}
		}
		if l.Type == "assistant" {
			end[l.Message.ID] = i
		}
	}
	after := map[int][]*claudeLine{}
	for _, l := range all {
		for _, block := range claudeBlocks(l.Message.Content) {
			if id, missing := answer[block.CallID]; missing && block.Type == "tool_result" && !there[l] {
				there[l] = true
				after[end[id]] = append(after[end[id]], l)
			}
		}
	}
	var whole []*claudeLine
	for i, l := range branch {
		whole = append(append(whole, l), after[i]...)
	}
	return whole
}

func (b *builder) claude(l *claudeLine) {
	if b.ID == "" {
		b.ID = l.Session
	}
	if b.Dir == "" {
		b.Dir = l.Dir
	}
	switch {
	case l.Summary:
		b.lose("summaries of compactions", 1)
	case l.Meta:
		b.lose("messages of the program", 1)
	case l.Type == "user":
		b.claudeUser(l)
	case l.Type == "assistant":
		b.claudeAnswer(l)
	}
}

// claudeBlocks returns the pieces of a message, which may be one text.
func claudeBlocks(content json.RawMessage) (blocks []claudeBlock) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	return blocks
}

// What the program adds to the text of a user.
var (
	reminder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`) })
	command  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*<(command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification)>`)
	})
)

func (b *builder) claudeUser(l *claudeLine) {
	var parts []model.Part
	for _, block := range claudeBlocks(l.Message.Content) {
		switch block.Type {
		case "text":
			text := strings.TrimSpace(reminder().ReplaceAllString(block.Text, ""))
			if command().MatchString(text) || text == "" {
				b.lose("messages of the program", 1)
				continue
			}
			parts = append(parts, model.Text(text))
		case "image", "document":
			parts = append(parts, b.claudeData(block)...)
		case "tool_result":
			text, attached := b.claudeResult(block.Content)
			b.result(block.CallID, text, block.Failed, attached, l.Time)
		default:
			b.lose("pieces of the type "+block.Type, 1)
		}
	}
	if len(parts) > 0 {
		b.user(l.Time, parts...)
	}
}

func (b *builder) claudeData(block claudeBlock) []model.Part {
	switch {
	case len(block.Source.Data) == 0:
		b.lose("attachments without data", 1)
	case block.Type == "image":
		return []model.Part{model.Image(block.Source.MediaType, block.Source.Data)}
	default:
		return []model.Part{model.Document(block.Source.MediaType, block.Title, block.Source.Data)}
	}
	return nil
}

// claudeResult returns the text of a result and what is attached.
func (b *builder) claudeResult(content json.RawMessage) (text string, parts []tool.Part) {
	if len(content) == 0 {
		return "", nil
	}
	var texts []string
	for _, block := range claudeBlocks(content) {
		switch {
		case block.Type == "text":
			texts = append(texts, reminder().ReplaceAllString(block.Text, ""))
		case block.Type == "image" && len(block.Source.Data) > 0:
			parts = append(parts, tool.Part{Kind: tool.ImagePart, MediaType: block.Source.MediaType, Data: block.Source.Data})
		default:
			b.lose("pieces of results of the type "+block.Type, 1)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n")), parts
}

// claudeAnswer adds the pieces of an answer. Several lines have the same answer, each with one piece and the usage so far.
func (b *builder) claudeAnswer(l *claudeLine) {
	d := b.answer(l.Message.ID, l.Time)
	d.model = l.Message.Model
	if u := l.Message.Usage; u != nil {
		d.usage = &event.Usage{Input: u.Input + u.CacheRead + u.CacheWrite, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	}
	for _, block := range claudeBlocks(l.Message.Content) {
		switch block.Type {
		case "text":
			d.parts = append(d.parts, model.Text(block.Text))
		case "thinking":
			d.parts = append(d.parts, model.Part{Kind: model.ThinkingKind, Text: block.Thinking}) // its signature holds only there
		case "tool_use":
			b.call(d, block.ID, block.Name, block.Input)
		case "redacted_thinking":
			b.lose("pieces of encrypted thinking", 1)
		default:
			b.lose("pieces of the type "+block.Type, 1)
		}
	}
}
