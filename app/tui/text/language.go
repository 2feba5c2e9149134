package text

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed zh.txt
var chinese string

// Words are the program's own texts in the language of the user, by the English ones. Without any they are English. Only what is for the
// user goes through them: a model, a log and a journal have the English text.
type Words map[string]string

// Language returns the language of the user, "en" or "zh": the one of the settings, else that of the environment.
func Language(setting string, getenv func(string) string) string {
	if setting != "" && setting != "auto" {
		return setting
	}
	if strings.HasPrefix(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")), "zh") {
		return "zh"
	}
	return "en"
}

// WordsIn returns the texts in a language.
func WordsIn(language string) Words {
	if language != "zh" {
		return nil
	}
	words := Words{}
	for line := range strings.Lines(chinese) {
		if english, own, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = "); ok {
			words[english] = own
		}
	}
	return words
}

// Of returns a text, with arguments as fmt.Sprintf has them. One that has no translation stays English.
func (w Words) Of(english string, args ...any) string {
	if own, ok := w[english]; ok {
		english = own
	}
	if len(args) == 0 {
		return english
	}
	return fmt.Sprintf(english, args...)
}

// Fit returns a text that has one of the forms, with %s for what differs, in the language. Others stay.
func (w Words) Fit(english string, forms ...string) string {
	for _, form := range forms {
		fits := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(form), "%s", "(.*)") + "$")
		if found := fits.FindStringSubmatch(english); found != nil && w[form] != "" {
			args := make([]any, len(found)-1)
			for i, part := range found[1:] {
				args[i] = part
			}
			return w.Of(form, args...)
		}
	}
	return english
}

// Count is Count in the language: where there is a translation of "%d line", it is for every number.
func (w Words) Count(n int, thing string) string {
	if own, ok := w["%d "+thing]; ok {
		return fmt.Sprintf(own, n)
	}
	return Count(n, thing)
}
