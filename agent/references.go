package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"rein/event"
	"rein/model"
)

// What stays a whole result in the first stage.
const (
	shortResult = 200  // tokens: a reference would save little
	shortError  = 2048 // bytes of a failed result
	newestAtoms = 2    // answers with their results
	subject     = 120  // bytes of a call's arguments in its reference
)

// References returns the texts that take the place of old results, and how many tokens that frees. Results of the last two
// answers stay, the newest up to Limits.Results, short ones, short errors, and those that keep names.
func (h *measuredHistory) References(l CompactionLimits, keep func(p model.Part) bool) (refs []event.Reference, freed int) {
	budget, atoms, last := l.Results, 0, int64(-1)
	for i := len(h.items) - 1; i > 0; i-- {
		it := h.items[i]
		if it.message.Role != model.Results {
			continue
		}
		if it.seq != last {
			atoms, last = atoms+1, it.seq
		}
		budget -= it.estimate
		if atoms <= newestAtoms || budget >= 0 {
			continue
		}
		calls := h.items[i-1].message.Calls()
		for _, p := range it.message.Parts {
			size := resultTokens(it.message, p.ID)
			if p.Kind != model.ResultKind || size <= shortResult || p.Failed && len(p.Text) <= shortError || isReference(p.Text) || keep != nil && keep(p) {
				continue
			}
			text := reference(p, calls)
			refs = append(refs, event.Reference{Call: p.ID, Text: text})
			freed += size - estimateTokens(text)
		}
	}
	return refs, h.fix[h.asked].apply(freed)
}

// Oversize returns the first and last lines of results that are too large for the window, whoever made them. all looks at
// the whole conversation, else at the newest results.
func (h *measuredHistory) Oversize(l CompactionLimits, all bool) (refs []event.Reference) {
	most := l.OneResult * 3 / 2
	for i := len(h.items) - 1; i > 0; i-- {
		it := h.items[i]
		if it.message.Role == model.Results && it.estimate > most {
			for _, p := range it.message.Parts {
				if p.Kind == model.ResultKind && estimateQuickly(p.Text) > most {
					refs = append(refs, event.Reference{Call: p.ID, Text: middle(p.Text, l.OneResult, fmt.Sprintf(`; to read it: recall {"call": %q}`, p.ID))})
				}
			}
		}
		if !all {
			break
		}
	}
	return refs
}

// resultTokens is what a result takes with its images and documents.
func resultTokens(m *model.Message, id string) (n int) {
	for i := range m.Parts {
		if m.Parts[i].ID == id {
			n += part(&m.Parts[i])
		}
	}
	return n
}

// referenceStart begins every reference.
const referenceStart = "[The result of "

func isReference(text string) bool { return strings.HasPrefix(text, referenceStart) }

// reference is the line that takes the place of a result.
func reference(p model.Part, calls []model.Part) string {
	name, args := p.Name, ""
	for _, c := range calls {
		if c.ID == p.ID {
			name, args = c.Name, " "+shorten(oneLine(c.Args), subject)
		}
	}
	state := ""
	if p.Failed {
		state = ", failed"
	}
	return fmt.Sprintf(`%s%s%s is left out here (%d bytes, lines: %d%s). To read it: recall {"call": %q}]`,
		referenceStart, name, args, len(p.Text), strings.Count(p.Text, "\n")+1, state, p.ID)
}

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// shorten cuts a text at its end, between two characters.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// middle cuts a text in its middle so that it has about most tokens. hint says where the whole is.
func middle(text string, most int, hint string) string {
	n := estimateTokens(text)
	if n <= most {
		return text
	}
	bytes := int(float64(len(text)) * float64(max(most, 8)) / float64(n))
	head, tail := bytes*3/5, len(text)-bytes*2/5
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out here%s …]\n%s", text[:head], tail-head, hint, text[tail:])
}
