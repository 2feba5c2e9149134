package document

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// relations are the targets of a part of an Office document, by id.
func (z *archive) relations(part string) (map[string]relation, error) {
	dir, name := path.Split(part)
	text, err := z.text(dir + "_rels/" + name + ".rels")
	if err != nil {
		return nil, err
	}
	var list struct {
		Relationship []relation
	}
	if err := xml.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("the document is damaged: %w", err)
	}
	all := map[string]relation{}
	for _, r := range list.Relationship {
		if !strings.HasPrefix(r.Target, "/") {
			r.Target = path.Join(dir, r.Target)
		}
		r.Target = strings.TrimPrefix(r.Target, "/")
		all[r.ID] = r
	}
	return all, nil
}

type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

func readPPTX(z *archive, o *Output) error {
	const main = "ppt/presentation.xml"
	text, err := z.text(main)
	if err != nil {
		return err
	}
	var show struct {
		Slides []struct {
			ID string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sldIdLst>sldId"`
	}
	if err := xml.Unmarshal([]byte(text), &show); err != nil {
		return fmt.Errorf("the document is damaged: %w", err)
	}
	to, err := z.relations(main)
	if err != nil {
		return err
	}
	for i, last := o.Units("slide", len(show.Slides)); i <= last; i++ {
		if err := z.slide(to[show.Slides[i-1].ID].Target, i, o); err != nil {
			return err
		}
	}
	return nil
}

// slide writes a slide and the notes of its speaker.
func (z *archive) slide(name string, n int, o *Output) error {
	if err := o.Add(fmt.Sprintf("--- slide %d ---", n)); err != nil {
		return err
	}
	if err := z.flow(name, &flow{out: o, within: true}); err != nil {
		return err
	}
	to, _ := z.relations(name) // a slide may have none
	for _, r := range to {
		if strings.HasSuffix(r.Type, "/notesSlide") {
			if err := o.Add("Notes:"); err != nil {
				return err
			}
			return z.flow(r.Target, &flow{out: o, within: true})
		}
	}
	return nil
}

func readEPUB(z *archive, o *Output) error {
	var container struct {
		Roots []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	var book struct {
		Items []struct {
			ID   string `xml:"id,attr"`
			Href string `xml:"href,attr"`
		} `xml:"manifest>item"`
		Spine []struct {
			ID string `xml:"idref,attr"`
		} `xml:"spine>itemref"`
	}
	text, err := z.text("META-INF/container.xml")
	if err != nil {
		return err
	}
	if err := xml.Unmarshal([]byte(text), &container); err != nil || len(container.Roots) == 0 {
		return fmt.Errorf("the book is damaged: its container names no content")
	}
	root := container.Roots[0].Path
	if text, err = z.text(root); err != nil {
		return err
	}
	if err := xml.Unmarshal([]byte(text), &book); err != nil {
		return fmt.Errorf("the book is damaged: %w", err)
	}
	files := map[string]string{}
	for _, item := range book.Items {
		href, err := url.PathUnescape(item.Href)
		if err != nil {
			href = item.Href
		}
		files[item.ID] = path.Join(path.Dir(root), href)
	}
	for i, last := o.Units("chapter", len(book.Spine)); i <= last; i++ {
		if err := o.Add(fmt.Sprintf("--- chapter %d ---", i)); err != nil {
			return err
		}
		text, err := z.text(files[book.Spine[i-1].ID])
		if err != nil {
			return err
		}
		chapter, err := ReadPage([]byte(text), PageOptions{Whole: true})
		if err != nil {
			return fmt.Errorf("chapter %d is damaged: %w", i, err)
		}
		if err := o.Add(strings.TrimSpace(chapter.Markdown)); err != nil {
			return err
		}
	}
	return nil
}
