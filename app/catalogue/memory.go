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
	return OfMemory(all), err
}

// OfMemory lists what is remembered.
func OfMemory(all []memory.Entry) (list List) {
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
	case "show", "forget", "confirm":
		text, err = onRemembered(ctx, s, r)
	default:
		err = ErrNotThere
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
	return memory.Name(e.ID) + "\n", err
}

// onRemembered shows, deletes or confirms one entry.
func onRemembered(ctx context.Context, s *store.Store, r Request) (string, error) {
	id, _ := memory.ParseName(r.Name)
	e, ok, err := s.Get(ctx, id)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", inputError("there is no entry %q; rein memory list --all lists them", r.Name)
	case r.Verb == "show":
		return Texts(OfMemory([]memory.Entry{e}).Entries), nil
	case r.Verb == "forget":
		_, err = s.Delete(ctx, e.ID)
		return "Forgot " + e.Line(80) + "\n", err
	}
	e.Proposed, e.Why = false, ""
	_, err = s.Put(ctx, e)
	return "", err
}
