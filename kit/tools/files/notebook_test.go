package files

import (
	"encoding/json"
	"strings"
	"testing"
)

const sample = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "load",
   "metadata": {"tags": ["x"]},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["hello\n"]}
   ],
   "source": [
    "print(\"hello\")"
   ]
  }
 ],
 "metadata": {"kernelspec": {"name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func parsed(t *testing.T, text string) *notebook {
	t.Helper()
	n, err := parseNotebook(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestParse(t *testing.T) {
	n := parsed(t, sample)
	if len(n.Cells) != 2 || n.Cells[0].Source != "# Title\ntext" || n.Cells[1].ID != "load" || n.Cells[1].Type != "code" {
		t.Fatalf("%+v", n.Cells)
	}
	for _, text := range []string{"", "[]", "{}", `{"cells": 3}`, `{"cells": [{"cell_type": "code"}]}`, `{"cells": [`} {
		if _, err := parseNotebook(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestReplaceChangesOneCellOnly(t *testing.T) {
	got := parsed(t, sample).Replace(1, "x = 1\nprint(x)\n", "")
	want := strings.NewReplacer(
		`"execution_count": 3`, `"execution_count": null`,
		"[\n    {\"name\": \"stdout\", \"output_type\": \"stream\", \"text\": [\"hello\\n\"]}\n   ]", "[]",
		`    "print(\"hello\")"`, "    \"x = 1\\n\",\n    \"print(x)\\n\"",
	).Replace(sample)
	if got != want {
		t.Fatalf("got %s", got)
	}
}

func TestInsertAndDeleteAreInverse(t *testing.T) {
	for i := range 3 {
		with := parsed(t, sample).Insert(i, "code", "a = 1\nb = 2")
		n := parsed(t, with)
		if len(n.Cells) != 3 || n.Cells[i].Source != "a = 1\nb = 2" || n.Cells[i].ID == "" {
			t.Fatalf("at %d: %s", i, with)
		}
		if got := n.Delete(i); got != sample {
			t.Fatalf("at %d: %s", i, got)
		}
	}
}

func TestInsertIntoAnEmptyNotebook(t *testing.T) {
	n := parsed(t, parsed(t, "{\n \"cells\": [],\n \"nbformat\": 4\n}\n").Insert(0, "markdown", "hi"))
	if len(n.Cells) != 1 || n.Cells[0].Source != "hi" || n.Cells[0].ID != "" {
		t.Fatalf("%+v", n.Cells)
	}
}

func TestTypeChanges(t *testing.T) {
	n := parsed(t, parsed(t, sample).Replace(1, "now text", "markdown"))
	if c := n.Cells[1]; c.Type != "markdown" || c.ID != "load" || c.Source != "now text" {
		t.Fatalf("%+v", c)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add(sample, uint8(1), "x\ny")
	f.Add(`{"cells":[{"cell_type":"code","source":"a","metadata":{}}]}`, uint8(0), "é\n\n")
	f.Fuzz(func(t *testing.T, text string, i uint8, source string) {
		n, err := parseNotebook(text)
		if err != nil || len(n.Cells) == 0 || !json.Valid([]byte(text)) {
			return
		}
		at := int(i) % len(n.Cells)
		for _, got := range []string{n.Replace(at, source, ""), n.Insert(at, "code", source), n.Delete(at)} {
			if !json.Valid([]byte(got)) {
				t.Fatalf("no JSON any more: %q", got)
			}
		}
	})
}
