package shell

import (
	"testing"
)

func TestNameFilesAreWellFormed(t *testing.T) {
	all, err := loadNames()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]func() nameTable{
		"code-extensions": codeExtensions, "option-words": optionWords, "option-products": optionProducts,
		"option-outputs": optionOutputs, "option-places": optionPlaces, "registries": registries, "option-written": optionWritten, "option-labels": optionLabels, "command-starts": commandStarts,
		"environment": environmentNames, "bare-tools": bareTools,
	}
	for name, table := range used {
		if len(table()) == 0 {
			t.Errorf("the table %s is empty", name)
		}
	}
	for name := range all {
		if used[name] == nil {
			t.Errorf("nobody uses the table %s", name)
		}
	}
	groups := map[string]bool{"data": true, "config": true, "load": true, "run": true}
	for word, group := range optionWords() {
		if !groups[group] {
			t.Errorf("option-words: %s has the unknown group %q", word, group)
		}
	}
}

func BenchmarkLoadNames(b *testing.B) {
	for b.Loop() {
		if _, err := loadNames(); err != nil {
			b.Fatal(err)
		}
	}
}
