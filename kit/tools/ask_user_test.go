package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"rein/tool"
)

const twoQuestions = `{"questions":[
	{"question":"Which database?","header":"db","choices":[{"label":"SQLite","description":"one file"},{"label":"PostgreSQL"}],"free":false},
	{"question":"Which name?"}],"wait_secs":60}`

func TestTheIntentHasTheQuestions(t *testing.T) {
	i, err := AskUser().Intent(json.RawMessage(twoQuestions))
	if err != nil || i.Questions == nil || i.IsZero() {
		t.Fatalf("%+v, %v", i, err)
	}
	q := i.Questions
	if len(q.List) != 2 || q.Wait != 60 || q.First || q.List[0].Free || !q.List[1].Free || q.List[0].Choices[0].Description != "one file" {
		t.Errorf("got %+v", q)
	}
}

func TestBadQuestions(t *testing.T) {
	rows := map[string]struct{ args, says string }{
		"no questions":             {`{"questions":[]}`, "questions"},
		"an empty question":        {`{"questions":[{"question":"  "}]}`, "question 1 is empty"},
		"one choice":               {`{"questions":[{"question":"a","choices":[{"label":"x"}]}]}`, "has one choice"},
		"the same choice twice":    {`{"questions":[{"question":"a","choices":[{"label":"x"},{"label":" x"}]}]}`, `choice "x" twice`},
		"seven choices":            {`{"questions":[{"question":"a","choices":[` + strings.TrimSuffix(strings.Repeat(`{"label":"x"},`, 7), ",") + `]}]}`, "choices"},
		"five questions":           {`{"questions":[` + strings.TrimSuffix(strings.Repeat(`{"question":"a"},`, 5), ",") + `]}`, "questions"},
		"first without a time":     {`{"questions":[{"question":"a","choices":[{"label":"x"},{"label":"y"}]}],"then":"first"}`, "no wait_secs"},
		"first without choices":    {`{"questions":[{"question":"a"}],"then":"first","wait_secs":9}`, "has no choices"},
		"a time that is too short": {`{"questions":[{"question":"a"}],"wait_secs":1}`, "wait_secs"},
		"a question of 1 MB":       {`{"questions":[{"question":"` + strings.Repeat("a", 1<<20) + `"}]}`, "question"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			tl := AskUser()
			checked, err := tl.Input.Check(json.RawMessage(row.args))
			if err == nil {
				_, err = tl.Intent(checked.Args)
			}
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	rows := map[string]struct {
		chosen *tool.Chosen
		want   string
	}{
		"a choice and words": {&tool.Chosen{Answers: []tool.Answer{{Choices: []string{"SQLite"}}, {Text: "rein"}}}, "1. Which database?\nSQLite\n2. Which name?\nrein\n"},
		"one left out":       {&tool.Chosen{Answers: []tool.Answer{{Choices: []string{"SQLite"}}, {}}}, "1. Which database?\nSQLite\n2. Which name?\n(no answer)\n"},
		"approved, no words": {nil, "The user wants you to continue without an answer. Decide yourself, and say what you assumed.\n"},
		"the time was over":  {&tool.Chosen{Answers: []tool.Answer{{Choices: []string{"SQLite"}}, {}}, Default: true}, "Nobody answered within 60 s, so the first choices count:\n1. Which database?\nSQLite\n2. Which name?\n(no answer)\n"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := tool.NewReply(tool.ReplyOptions{Chosen: row.chosen})
			if err := AskUser().Run(context.Background(), json.RawMessage(twoQuestions), r); err != nil {
				t.Fatal(err)
			}
			text, _, _, d := r.Close()
			if text != row.want {
				t.Errorf("got %q", text)
			}
			if (row.chosen != nil) != strings.Contains(string(d), `"question":"Which name?"`) {
				t.Errorf("the detail is %s", d)
			}
		})
	}
}
