package schema

import "testing"

func TestWordsHasWholeWordsOnly(t *testing.T) {
	const w words = "aaa type minItems"
	for word, want := range map[string]bool{"type": true, "aaa": true, "minItems": true, "aa": false, "Items": false, "typ": false, "": false, "aaa type": false} {
		if w.Has(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}
