package catalogue

import (
	"context"
	"fmt"
	"strings"

	"rein/app/harness"
	store "rein/app/memory"
	"rein/kit/tools/memory"
)

// How many entries are listed, and how many a search finds.
const (
	mostRemembered = 50
	mostFound      = 10
)

func listMemory(ctx context.Context, h *harness.Harness) (List, error) {
	s := h.Memory()
	defer s.Close()
	all, _, err := s.Find(ctx, memory.Query{Project: h.Root(), Limit: mostRemembered})
	return MemoryList(all), err
}

// MemoryList lists what is remembered.
func MemoryList(all []memory.Entry) (list List) {
	for _, e := range all {
		var b strings.Builder
		_ = store.Write(&b, []memory.Entry{e}) // a builder takes all
		proposed := ""
		if e.Proposed {
			proposed = "no session sees it until you confirm it; the session had read " + e.Why
		}
		list.Entries = append(list.Entries, Entry{ID: fmt.Sprint(e.ID), Name: e.Text, About: e.Scope + "   " + e.Category, Value: e, Text: strings.TrimPrefix(b.String(), "# Memory\n\n"),
			Fields: Fields("text", e.Text, "for", e.Scope, "project", e.Project, "category", e.Category, "importance", fmt.Sprint(e.Importance), "tags", strings.Join(e.Tags, " "),
				"since", e.Created.Local().Format("2006-01-02 15:04"), "proposed", proposed)})
	}
	return list
}

// MemoryLines are entries, one a line.
func MemoryLines(all []memory.Entry) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintln(&b, e.Line(200))
	}
	return b.String()
}

func doMemory(ctx context.Context, h *harness.Harness, r Request) (text string, err error) {
	s := h.Memory()
	defer s.Close()
	switch r.Verb {
	case "add":
		text, err = remember(ctx, s, h.Root(), r)
	case "search":
		var all []memory.Entry
		all, _, err = s.Find(ctx, memory.Query{Text: r.Name, Project: h.Root(), Limit: mostFound})
		if text = MemoryLines(all); text == "" {
			text = "No entry matches.\n"
		}
	default:
		text, err = doRemembered(ctx, s, r)
	}
	if store.Refused(err) {
		err = inputError("%w", err)
	}
	return text, err
}

func remember(ctx context.Context, s *store.Store, root string, r Request) (string, error) {
	scope := memory.Project
	if r.Everywhere {
		scope = memory.User
	}
	e := memory.Entry{Text: r.Name, By: "user", Scope: scope, Project: root, Category: "knowledge", Importance: 5}
	e, err := s.Put(ctx, e)
	if err != nil {
		return "", err
	}
	return e.Line(80) + "\n", nil
}

// doRemembered shows, deletes or confirms entries. All of them must be there before the first is changed.
func doRemembered(ctx context.Context, s *store.Store, r Request) (text string, _ error) {
	var all []memory.Entry
	for name := range strings.FieldsSeq(r.Name) {
		id, _ := memory.ParseName(name)
		e, ok, err := s.Get(ctx, id)
		if err == nil && !ok {
			err = inputError("there is no entry %q; rein memory list --all lists them", name)
		}
		if err != nil {
			return "", err
		}
		all = append(all, e)
	}
	if r.Verb == "show" {
		return JoinTexts(MemoryList(all).Entries), nil
	}
	for _, e := range all {
		var err error
		if r.Verb == "forget" {
			_, err = s.Delete(ctx, e.ID)
			text += "Forgot " + e.Line(80) + "\n"
		} else {
			e.Proposed, e.Why = false, ""
			_, err = s.Put(ctx, e)
		}
		if err != nil {
			return text, err
		}
	}
	return text, nil
}
