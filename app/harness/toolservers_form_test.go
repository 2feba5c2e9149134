package harness

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rein/kit/mcp"
	"rein/tool"
)

func TestAForm(t *testing.T) {
	q := mcp.Question{Server: "s", Message: "Fill in", Schema: json.RawMessage(`{"type":"object","required":["z"],"properties":{
		"z": {"type":"string","title":"Name"}, "n": {"type":"integer"}, "ok": {"type":"boolean"},
		"c": {"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}]},
		"m": {"type":"array","items":{"enum":["x","y"]}}}}`)}
	questions, fields, err := questionsOfForm(q)
	if err != nil || len(fields) != 5 || questions.List[0].Text != "Fill in\nName (required)" || questions.List[3].Choices[0].Label != "Red" || !questions.List[4].Several {
		t.Fatalf("%+v, %v", questions, err)
	}
	chosen := &tool.Chosen{Answers: []tool.Answer{{Text: "Mei"}, {Text: "7"}, {Choices: []string{"No"}}, {Choices: []string{"Blue"}}, {Choices: []string{"x", "y"}}}}
	if err := questions.Check(chosen); err != nil {
		t.Fatal(err)
	}
	values, ok, err := formValues(fields, chosen)
	got, _ := json.Marshal(values)
	if err != nil || !ok || string(got) != `{"c":"b","m":["x","y"],"n":7,"ok":false,"z":"Mei"}` {
		t.Errorf("%s, %v, %v", got, ok, err)
	}
	chosen.Answers[0] = tool.Answer{}
	if _, ok, err := formValues(fields, chosen); ok || err == nil || err.Error() != "z: required" {
		t.Errorf("a form without what is required: %v, %v", ok, err)
	}
	if _, ok, err := formValues(fields, &tool.Chosen{Answers: make([]tool.Answer, 5)}); ok || err != nil {
		t.Errorf("a form that is left empty: %v, %v", ok, err)
	}
	chosen.Answers[0], chosen.Answers[1] = tool.Answer{Text: "x"}, tool.Answer{Text: "seven"}
	if _, _, err := formValues(fields, chosen); err == nil {
		t.Error("a word counts as a number")
	}
}

// What a server wants to have a format is asked again where it has none.
func TestAFormChecksFormats(t *testing.T) {
	q := mcp.Question{Schema: json.RawMessage(`{"type":"object","properties":{"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"},
		"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},"other":{"type":"string","format":"hostname"}}}`)}
	for name, values := range map[string][2]string{"mail": {"mei@example.org", "Mei <mei@example.org>"}, "site": {"https://example.org/a", "example"}, "day": {"2026-02-28", "2026-02-30"},
		"at": {"2026-02-28T10:00:00+08:00", "tomorrow"}} {
		if err := q.Fits(map[string]any{name: values[0], "other": "any"}); err != nil {
			t.Error(err)
		}
		if err := q.Fits(map[string]any{name: values[1]}); err == nil || !strings.HasPrefix(err.Error(), name+": must be ") {
			t.Errorf("%s %q: %v", name, values[1], err)
		}
	}
}

// textsOf are the texts of questions.
func textsOf(q *tool.Questions) string {
	var all []string
	for _, one := range q.List {
		all = append(all, one.Text)
	}
	return strings.Join(all, "|")
}

// The user sees which fields must be filled in, these first, and what counts where one is left out.
func TestAFormSaysWhatIsRequiredAndWhatCountsWhenLeftOut(t *testing.T) {
	questions, fields, err := questionsOfForm(mcp.Question{Server: "s", Message: "Book", Schema: json.RawMessage(`{"type":"object","required":["time","people","time","other"],"properties":{
		"email": {"type":"string"}, "people": {"type":"integer","default":2}, "smoking": {"type":"boolean","default":false},
		"time": {"type":"string","enum":["18:00","19:30"],"enumNames":["early","late"]}, "with": {"type":"array","items":{"enum":["x","y"]},"default":["x","y"]}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := textsOf(questions), "Book\ntime (required)|people (2 if left out)|email|smoking (No if left out)|with (x, y if left out)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	values, ok, err := formValues(fields, &tool.Chosen{Answers: []tool.Answer{{Choices: []string{"late"}}, {}, {}, {}, {}}})
	got, _ := json.Marshal(values)
	if err != nil || !ok || string(got) != `{"people":2,"smoking":false,"time":"19:30","with":["x","y"]}` {
		t.Errorf("%s, %v, %v", got, ok, err)
	}
}

func TestAFormSaysTheBoundsOfItsFields(t *testing.T) {
	questions, _, err := questionsOfForm(mcp.Question{Server: "s", Message: "Book", Schema: json.RawMessage(`{"type":"object","required":["people"],"properties":{
		"people": {"type":"integer","minimum":1,"maximum":10,"default":2}, "name": {"type":"string","description":"as on the card","minLength":3,"maxLength":20},
		"price": {"type":"number","minimum":0.5}, "note": {"type":"string","maxLength":200}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := textsOf(questions), "Book\npeople (1 to 10) (2 if left out)|name: as on the card (3 to 20 characters)|price (at least 0.5)|note (at most 200 characters)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnAddressIsAQuestionAndIsNeverOpenedByItself(t *testing.T) {
	questions, fields, err := questionsOfForm(mcp.Question{Server: "s", Message: "Sign in", URL: "https://example.com/x"})
	if err != nil || len(fields) != 0 || len(questions.List) != 1 || len(questions.List[0].Choices) != 2 {
		t.Fatalf("%+v, %v", questions, err)
	}
	for label, want := range map[string]bool{formOpened: true, "No": false} {
		if _, ok, _ := formValues(fields, &tool.Chosen{Answers: []tool.Answer{{Choices: []string{label}}}}); ok != want {
			t.Errorf("%s: %v", label, ok)
		}
	}
}

// A form whose answers do not fit is asked again, with the reason, and is given up after a few times.
func TestAFormThatIsRefusedIsAskedAgain(t *testing.T) {
	q := mcp.Question{Server: "cards", Message: "How many?", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"]}`)}
	for _, row := range []struct {
		answers []string
		action  string
	}{
		{[]string{"many", "12", "3"}, "accept"},
		{slices.Repeat([]string{"many"}, formTries), ""},
		{[]string{"many", ""}, "decline"},
	} {
		var asked []string
		s := &ToolServers{Ask: func(_ context.Context, questions *tool.Questions) (*tool.Chosen, error) {
			asked = append(asked, questions.List[0].Text)
			return &tool.Chosen{Answers: []tool.Answer{{Text: row.answers[len(asked)-1]}}}, nil
		}}
		reply, err := s.elicit(t.Context(), q)
		if (err != nil) != (row.action == "") || reply.Action != row.action || len(asked) > 1 && !strings.Contains(asked[1], `That does not fit: n: "many" is no integer.`) {
			t.Errorf("%v: %+v, %v after\n%s", row.answers, reply, err, strings.Join(asked, "\n"))
		}
	}
}

// All that does not fit is named at once.
func TestAFormNamesAllThatDoesNotFit(t *testing.T) {
	q := mcp.Question{Server: "s", Message: "Join", Schema: json.RawMessage(`{"type":"object","properties":{"age":{"type":"integer","minimum":18},"born":{"type":"string","format":"date"},"mail":{"type":"string","format":"email"}}}`)}
	var asked []string
	s := &ToolServers{Ask: func(_ context.Context, questions *tool.Questions) (*tool.Chosen, error) {
		asked = append(asked, textsOf(questions))
		answers := []tool.Answer{{Text: "5"}, {Text: "soon"}, {Text: "me"}}
		if len(asked) > 1 {
			answers = []tool.Answer{{Text: "50"}, {Text: "2020-01-31"}, {Text: "me@example.com"}}
		}
		return &tool.Chosen{Answers: answers}, nil
	}}
	reply, err := s.elicit(t.Context(), q)
	if err != nil || reply.Action != "accept" || len(asked) != 2 || strings.Count(asked[1], "|That does not fit: ") != 2 || !strings.HasPrefix(asked[1], "That does not fit: age: ") || !strings.Contains(asked[1], "born: ") || !strings.Contains(asked[1], "mail: ") {
		t.Errorf("%+v, %v after\n%s", reply, err, strings.Join(asked, "\n"))
	}
}

// What was filled in is filled in again when a form is asked again, and what the user takes back is not sent.
func TestAFormThatIsAskedAgainIsFilledIn(t *testing.T) {
	q := mcp.Question{Server: "s", Message: "Book", Schema: json.RawMessage(`{"type":"object","required":["name","people"],"properties":{
		"name": {"type":"string"}, "people": {"type":"integer","maximum":9}, "time": {"type":"string","enum":["18:00","19:30"],"enumNames":["early","late"]}, "with": {"type":"array","items":{"enum":["x","y"]}}}}`)}
	late := tool.Answer{Choices: []string{"late"}}
	answers := [][]tool.Answer{{{Text: "Mei"}, {Text: "many"}, late, {Choices: []string{"x", "y"}}}, {{Text: "Mei"}, {Text: "12"}, late, {}}, {{Text: "Mei"}, {Text: "2"}, late, {}}}
	var asked []string
	s := &ToolServers{Ask: func(_ context.Context, questions *tool.Questions) (*tool.Chosen, error) {
		if n := len(asked); n > 0 && (questions.List[1].Given.Text != answers[n-1][1].Text || len(questions.List[3].Given.Choices) != len(answers[n-1][3].Choices)) {
			t.Errorf("what was written is not filled in: %+v", questions.List)
		}
		_, texts, _ := strings.Cut(textsOf(questions), "|")
		asked = append(asked, texts)
		return &tool.Chosen{Answers: answers[len(asked)-1]}, nil
	}}
	reply, err := s.elicit(t.Context(), q)
	got, _ := json.Marshal(reply.Values)
	if err != nil || string(got) != `{"name":"Mei","people":2,"time":"19:30"}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, want := strings.Join(asked, "\n"), "people (at most 9) (required)|time|with\nThat does not fit: people: \"many\" is no integer.\npeople (at most 9) (required)|time|with\n"+
		"That does not fit: people: must be at most 9, got 12.\npeople (at most 9) (required)|time|with"; got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
}
