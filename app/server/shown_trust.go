package server

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/server/api"
)

// mostTrustText is how many bytes of each file of an item are shown.
const mostTrustText = 64 << 10

// shownTrust returns what a folder would make the sessions of a directory obey, and what the user answered.
func shownTrust(h *harness.Harness, dir string) api.Trust {
	f := h.Trust()
	all := f.Found(dir, true)
	fresh, not := f.New(all), f.Untrusted(all)
	out := api.Trust{Dir: dir, Folder: f.Dir(), Always: f.Always(), Items: []api.TrustItem{}}
	for _, i := range all {
		state := "trusted"
		switch {
		case slices.Contains(fresh, i):
			state = "new"
		case slices.Contains(not, i):
			state = "declined"
		}
		item := api.TrustItem{Obeyed: obeyed(i), State: state}
		if i.Kind == extend.TrustMCP {
			for _, s := range h.ProjectSends() {
				item.Sends = append(item.Sends, api.Sends{Server: s.Server, Variable: s.Name, To: s.To, Secret: s.Secret, Own: s.Own})
			}
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func obeyed(i extend.TrustItem) api.Obeyed {
	return api.Obeyed{Kind: string(i.Kind), Path: i.Path, Sum: i.Sum}
}

// shownItems returns the items that a user was shown, when each of them still is as it was.
func shownItems(f *extend.Folder, dir string, asked []api.Obeyed) (items []extend.TrustItem, err error) {
	found := f.Found(dir, true)
	for _, o := range asked {
		before := len(items)
		for _, i := range found {
			if o == obeyed(i) {
				items = append(items, i)
			}
		}
		if len(items) == before {
			return nil, problem(http.StatusConflict, "changed", o.Path+" has changed since it was shown")
		}
	}
	return items, nil
}

// trustText reads the files of an item. They are those whose hash the item has: content that changes meanwhile is refused.
func trustText(f *extend.Folder, dir, kind, name string, mask secretMask) (out api.TrustText, err error) {
	for _, i := range f.Found(dir, true) {
		if string(i.Kind) != kind || i.Path != name {
			continue
		}
		files, err := f.Content(i)
		if err != nil {
			return out, problem(http.StatusConflict, "changed", err.Error())
		}
		out.Sum = i.Sum
		for _, c := range files {
			out.Files = append(out.Files, trustFile(c.Path, c.Text, mask))
		}
		return out, nil
	}
	return out, problem(http.StatusNotFound, "no_item", "the folder has no such content")
}

func trustFile(name string, text []byte, mask secretMask) api.TrustFile {
	f := api.TrustFile{Path: name, Bytes: len(text), Cut: len(text) > mostTrustText, Plain: utf8.Valid(text)}
	if f.Plain {
		text = mask(text) // before it is cut: a part of a secret has another form
		f.Text = strings.ToValidUTF8(string(text[:min(len(text), mostTrustText)]), "")
	}
	return f
}
