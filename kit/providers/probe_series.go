package providers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"rein/model"
)

func series() []step {
	return []step{
		{"text", nil, text},
		{"call", nil, call},
		{"parallel", nil, parallel},
		{"thinking", neverThinks, probeThinking},
		{"image", textOnly, picture},
		{"cut", nil, cut},
	}
}

func neverThinks(i model.Info) string {
	if i.Thinking != nil && i.Thinking.Never {
		return "the model does not think, by the catalogue"
	}
	return ""
}

func textOnly(i model.Info) string {
	if i.TextOnly {
		return "the model takes only text, by its facts (see rein models)"
	}
	return ""
}

// text asks for a word.
func text(ctx context.Context, a *asking) (State, string, error) {
	done, err := a.ask(ctx, &model.Request{Messages: []*model.Message{model.UserText("Reply with the single word: ready")}})
	if err != nil {
		return "", "", err
	}
	if !says(done, "ready") {
		return ProbeMissing, "asked for the word ready, got " + quote(done), nil
	}
	if done.Usage.Input == 0 && done.Usage.Output == 0 {
		return ProbeWorks, "without counts of tokens", nil
	}
	return ProbeWorks, "", nil
}

// weather is the tool of the checks of calls.
func weather() []model.ToolSpec {
	return []model.ToolSpec{{Name: "weather", Description: "Returns the weather of a city.",
		Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"The name of the city, in English."}},"required":["city"]}`)}}
}

// call asks for one call, gives its result, and looks for the result in the answer.
func call(ctx context.Context, a *asking) (State, string, error) {
	return a.calls(ctx, "Find the weather in Oslo with the tool weather. Then tell me the temperature.", "Oslo")
}

// parallel asks for three calls in one answer.
func parallel(ctx context.Context, a *asking) (State, string, error) {
	return a.calls(ctx, "Find the weather in Oslo, in Lima and in Cairo with the tool weather. Make all three calls at once, in one answer. Then tell me the three temperatures.",
		"Oslo", "Lima", "Cairo")
}

// calls asks for a call for each city. A result is a number that the model cannot know.
func (a *asking) calls(ctx context.Context, prompt string, cities ...string) (State, string, error) {
	r := &model.Request{Messages: []*model.Message{model.UserText(prompt)}, Tools: weather()}
	done, err := a.ask(ctx, r)
	if err != nil {
		return "", "", err
	}
	calls := done.Message.Calls()
	if len(calls) == 0 {
		return ProbeMissing, "no call, but the text " + quote(done), nil
	}
	asked := map[string]bool{}
	var results []model.Part
	for _, c := range calls {
		var args struct{ City string }
		if err := json.Unmarshal([]byte(c.Args), &args); err != nil || c.Name != "weather" || args.City == "" {
			return ProbeMissing, fmt.Sprintf("the call %s %s does not follow the schema", c.Name, c.Args), nil
		}
		asked[args.City] = true
		results = append(results, model.Result(c.ID, fmt.Sprintf("%s degrees in %s", degrees(args.City), args.City), false))
	}
	r.Messages = append(r.Messages, done.Message, model.Answer(done.Message, results...))
	if done, err = a.ask(ctx, r); err != nil {
		return "", "", fmt.Errorf("after the result: %w", err)
	}
	if len(asked) < len(cities) {
		return ProbeMissing, fmt.Sprintf("%d of %d calls in one answer", len(asked), len(cities)), nil
	}
	for city := range asked {
		if !says(done, degrees(city)) {
			return ProbeMissing, "the result is not in the answer " + quote(done), nil
		}
	}
	return ProbeWorks, "", nil
}

// degrees is the result for a city.
func degrees(city string) string { return fmt.Sprintf("%d.7", 10+len(city)) }

// probeThinking asks twice, so that the thinking of the first answer goes back.
func probeThinking(ctx context.Context, a *asking) (State, string, error) {
	r := &model.Request{Effort: "medium", Messages: []*model.Message{model.UserText("How many of the numbers from 1 to 60 can be divided by 7 but not by 2? Give the number only.")}}
	done, err := a.ask(ctx, r)
	if err != nil {
		return "", "", err
	}
	r.Messages = append(r.Messages, done.Message, model.UserText("And from 1 to 90?"))
	if _, err = a.ask(ctx, r); err != nil {
		return "", "", fmt.Errorf("after an answer with thinking: %w", err)
	}
	switch {
	case a.shown:
		return ProbeWorks, "", nil
	case a.check.Usage.Thinking > 0:
		return ProbeWorks, "counted, its text is not shown", nil
	}
	return ProbeMissing, "neither text nor tokens of thinking were reported", nil
}

// picture asks for the colour of an image.
func picture(ctx context.Context, a *asking) (State, string, error) {
	data, err := square(color.RGBA{R: 230, A: 255})
	if err != nil {
		return "", "", err
	}
	done, err := a.ask(ctx, &model.Request{Messages: []*model.Message{
		model.UserParts(model.Text("Which colour is this image? Reply with one word."), model.Image("image/png", data))}})
	if err != nil {
		return "", "", err
	}
	if !says(done, "red") {
		return ProbeMissing, "the image is red, the answer is " + quote(done), nil
	}
	return ProbeWorks, "", nil
}

// square is an image of one colour.
func square(c color.Color) ([]byte, error) {
	m := image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{c})
	var b bytes.Buffer
	err := png.Encode(&b, m)
	return b.Bytes(), err
}

// cutAt is the limit of tokens of the answer that is cut. Some providers refuse less than 16.
const cutAt = 32

// cut asks for a call that is longer than the answer may be. A call that was cut must be marked, because it must not run.
func cut(ctx context.Context, a *asking) (State, string, error) {
	done, err := a.ask(ctx, &model.Request{MaxTokens: cutAt, Tools: []model.ToolSpec{{Name: "write", Description: "Writes a text.",
		Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}},
		Messages: []*model.Message{model.UserText("Write the numbers from 1 to 300, separated by commas, with one call of the tool write.")}})
	if err != nil {
		return "", "", err
	}
	for _, c := range done.Message.Calls() {
		if !c.Truncated && !model.JSONObject(c.Args) {
			return ProbeFailed, "a call that was cut is reported as whole: " + short(c.Args), nil
		}
	}
	if done.Stop != model.StopLength {
		return ProbeMissing, fmt.Sprintf("the limit of %d tokens did not cut the answer (stop: %s)", cutAt, done.Stop), nil
	}
	return ProbeWorks, "", nil
}

// says reports whether the answer contains a word.
func says(done model.Chunk, word string) bool {
	return strings.Contains(strings.ToLower(done.Message.Text()), word)
}

func quote(done model.Chunk) string { return fmt.Sprintf("%q", short(done.Message.Text())) }

// short is the beginning of a text.
func short(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
