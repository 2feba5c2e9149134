package tool

import "testing"

func TestAnAnswerMustFitTheQuestions(t *testing.T) {
	ab := []Choice{{Label: "a"}, {Label: "b"}}
	q := &Questions{List: []Question{{Text: "1", Choices: ab}, {Text: "2", Choices: ab, Several: true, Free: true}}}
	rows := map[string]struct {
		answers []Answer
		fits    bool
	}{
		"one of the choices":         {[]Answer{{Choices: []string{"a"}}, {}}, true},
		"several and words":          {[]Answer{{}, {Choices: []string{"a", "b"}, Text: "and c"}}, true},
		"all left out":               {[]Answer{{}, {}}, true},
		"too few answers":            {[]Answer{{}}, false},
		"not a choice":               {[]Answer{{Choices: []string{"c"}}, {}}, false},
		"two where one may be taken": {[]Answer{{Choices: []string{"a", "b"}}, {}}, false},
		"the same choice twice":      {[]Answer{{}, {Choices: []string{"a", "a"}}}, false},
		"words where none may be":    {[]Answer{{Text: "c"}, {}}, false},
		"words that are too long":    {[]Answer{{}, {Text: string(make([]byte, MaxAnswer+1))}}, false},
	}
	for name, row := range rows {
		if err := q.Check(&Chosen{Answers: row.answers}); (err == nil) != row.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := q.Check(nil); err != nil {
		t.Errorf("without an answer: %v", err)
	}
}

func TestReadAnAnswer(t *testing.T) {
	ab := []Choice{{Label: "Red"}, {Label: "Blue"}}
	one, several, free := Question{Choices: ab}, Question{Choices: ab, Several: true}, Question{Choices: ab, Free: true}
	rows := []struct {
		rule string
		q    Question
		line string
		want string // "": refused
	}{
		{"a number", one, " 2 ", "Blue"},
		{"a label in another case", one, "red", "Red"},
		{"two where one may be taken", one, "1,2", ""},
		{"several", several, "2, 1", "Blue, Red"},
		{"a number that is none", one, "3", ""},
		{"words where none may be", one, "green", ""},
		{"words", free, "green 1", "green 1"},
		{"a number of a Chinese keyboard", one, "２", "Blue"},
		{"numbers of a Chinese keyboard", several, "２，１", "Blue, Red"},
		{"a number that is none where words may be", free, "7", ""},
		{"one of several numbers that is none", free, "1, ７", ""},
		{"a number that is a label", Question{Choices: []Choice{{Label: "10"}, {Label: "20"}}, Free: true}, "20", "20"},
		{"a number with a word", free, "7 of them", "7 of them"},
		{"no choices", Question{Free: true}, "2", "2"},
		{"nothing", one, "", "(no answer)"},
		{"a number and words", free, "1: but dark", "Red, but dark"},
		{"a label and words", free, "blue: or green", "Blue, or green"},
		{"a time", free, "1:30", "1:30"},
		{"words with a colon", free, "green: not red", "green: not red"},
		{"a choice and words where none may be", one, "1: but dark", ""},
	}
	for _, row := range rows {
		a, err := row.q.Read(row.line)
		if (err == nil) != (row.want != "") || err == nil && a.String() != row.want {
			t.Errorf("%s: %q, %v", row.rule, a, err)
		}
	}
	q := &Questions{List: []Question{one, {Free: true}}}
	if c, err := q.Read("1\nwords\n"); err != nil || len(c.Answers) != 2 || c.Answers[1].Text != "words" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := q.Read("1"); err == nil {
		t.Error("one line answers two questions")
	}
}
