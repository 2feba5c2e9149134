package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	var out bytes.Buffer
	if err := draw(strings.NewReader("plain \x1b[1;38;2;125;180;245mblue <b>\x1b[0m\n\x1b[48;2;18;54;31m+ a\x1b[0m 漢x\n\n\n"), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">plain </text>", `fill="#7db4f5" textLength="67.2" xml:space="preserve" font-weight="bold">blue &lt;b&gt;</text>`, `fill="#12361f"/>`, "漢x</text>"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), `y="63"`); n != 0 {
		t.Error("empty rows at the end are drawn")
	}
}
