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
	if err := q.Check(q.FirstChoices()); err != nil {
		t.Errorf("the first choices: %v", err)
	}
}
