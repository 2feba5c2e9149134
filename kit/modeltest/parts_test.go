package modeltest_test

import (
	"strings"
	"testing"

	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// files are one of each kind of part that a user or a tool may give.
func files(id string) []model.Part {
	parts := []model.Part{
		model.Image("image/png", []byte("png")), model.Document("application/pdf", "a.pdf", []byte("%PDF")),
		model.Document("text/plain", "b.txt", []byte("bee\n")), model.Image("image/tiff", []byte("tiff")),
	}
	for i := range parts {
		parts[i].ID = id
	}
	return parts
}

// shown is a conversation whose user and whose tool give files; the second call failed.
func shown() []*model.Message {
	asked := &model.Message{Role: model.Assistant, From: "other/model", Parts: []model.Part{
		{Kind: model.CallKind, ID: "c00000001", Name: "see", Args: "{}"}, {Kind: model.CallKind, ID: "c00000002", Name: "see", Args: "{}"}}}
	failed := model.Image("image/png", []byte("bad"))
	failed.ID = "c00000002"
	results := append([]model.Part{model.Result("c00000001", "seen", false)}, files("c00000001")...)
	results = append(results, model.Result("c00000002", "broken", true), failed)
	return []*model.Message{
		model.UserParts(append([]model.Part{model.Text("look")}, files("")...)...),
		asked, model.Answer(asked, results...), model.UserText("so?"),
	}
}

// TestPartsReachEveryProtocol shows the user's message and the results as each protocol carries them. An empty base64 line
// would be a lost file: png is "cG5n", %PDF is "JVBERg==", bad is "YmFk".
func TestPartsReachEveryProtocol(t *testing.T) {
	const (
		tiff = `[The image (image/tiff, 4 bytes) was not sent: test/scripted takes no images of this type.]`
		doc  = `<document name=\"b.txt\">\nbee\n</document>`
	)
	rows := []struct{ protocol, user, results string }{
		{
			"messages",
			`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}},` +
				`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="},"title":"a.pdf"},` +
				`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"bee\n"},"title":"b.txt"},{"type":"text","text":"` + tiff + `"}]}`,
			`{"type":"tool_result","tool_use_id":"c00000001","content":[{"type":"text","text":"seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}},` +
				`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="},"title":"a.pdf"},` +
				`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"bee\n"},"title":"b.txt"},{"type":"text","text":"` + tiff + `"}]},` +
				`{"type":"tool_result","tool_use_id":"c00000002","content":[{"type":"text","text":"broken"}],"is_error":true},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"YmFk"}`,
		},
		{
			"chat",
			`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},` +
				`{"type":"text","text":"[The document a.pdf (application/pdf, 4 bytes) was not sent: test/scripted takes no documents of this type.]"},` +
				`{"type":"text","text":"` + doc + `"},{"type":"text","text":"` + tiff + `"}]}`,
			`{"role":"tool","tool_call_id":"c00000001","content":"seen\n\n[The document a.pdf (application/pdf, 4 bytes) was not sent: test/scripted takes no documents of this type.]\n\n` + doc + `\n\n` + tiff + `"},` +
				`{"role":"tool","tool_call_id":"c00000002","content":"broken"},` +
				`{"role":"user","content":[{"type":"text","text":"The images and documents of the tool results above, in their order:"},` +
				`{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,YmFk"}}]}`,
		},
		{
			"responses",
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,cG5n"},` +
				`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERg=="},{"type":"input_text","text":"` + doc + `"},{"type":"input_text","text":"` + tiff + `"}]}`,
			`{"type":"function_call_output","call_id":"c00000001","output":[{"type":"input_text","text":"seen"},{"type":"input_image","image_url":"data:image/png;base64,cG5n"},` +
				`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERg=="},{"type":"input_text","text":"` + doc + `"},{"type":"input_text","text":"` + tiff + `"}]},` +
				`{"type":"function_call_output","call_id":"c00000002","output":[{"type":"input_text","text":"broken"},{"type":"input_image","image_url":"data:image/png;base64,YmFk"}]}`,
		},
		{
			"gemini",
			`{"role":"user","parts":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"cG5n"}},{"text":"The document a.pdf:"},{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}},` +
				`{"text":"The document b.txt:"},{"inlineData":{"mimeType":"text/plain","data":"YmVlCg=="}},{"text":"` + tiff + `"}]}`,
			`{"role":"user","parts":[{"functionResponse":{"name":"see","response":{"output":"seen\n\n` + tiff + `"}}},{"functionResponse":{"name":"see","response":{"error":"broken"}}},` +
				`{"inlineData":{"mimeType":"image/png","data":"cG5n"}},{"text":"The document a.pdf:"},{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}},` +
				`{"text":"The document b.txt:"},{"inlineData":{"mimeType":"text/plain","data":"YmVlCg=="}},{"inlineData":{"mimeType":"image/png","data":"YmFk"}}]}`,
		},
	}
	for _, row := range rows {
		t.Run(row.protocol, func(t *testing.T) {
			body := string(bodyOf(t, opener(row.protocol), shown()))
			if !strings.Contains(body, row.user) {
				t.Errorf("the user's message:\nsent %s\nwant %s", body, row.user)
			}
			if !strings.Contains(body, row.results) {
				t.Errorf("the results:\nsent %s\nwant %s", body, row.results)
			}
		})
	}
}

// What only some models or servers of a protocol take.
func TestPartsFollowTheModel(t *testing.T) {
	chatWithFiles := func(h wire.HTTP) model.Model {
		return &openai.Chat{HTTP: h, Flavour: openai.Flavour{Files: true}}
	}
	rows := []struct {
		name  string
		open  func(wire.HTTP) model.Model
		model model.Info
		want  string
	}{
		{"chat with files", chatWithFiles, model.Info{Name: "m"}, `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERg=="}}`},
		{"Gemini 3 takes them inside the result", opener("gemini"), model.Info{Name: "gemini-3-pro"},
			`"response":{"output":"seen\n\n[The image (image/tiff, 4 bytes) was not sent: p/gemini-3-pro takes no images of this type.]"},"parts":[{"inlineData":{"mimeType":"image/png","data":"cG5n"}},{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}},{"inlineData":{"mimeType":"text/plain","data":"YmVlCg=="}}]}}`},
		{"a model of text: the user's message is one string", opener("chat"), model.Info{Name: "m", TextOnly: true},
			`"content":"look\n\n[The image (image/png, 3 bytes) was not sent: p/m takes only text.]\n\n[The document a.pdf (application/pdf, 4 bytes) was not sent: p/m takes only text.]\n\n<document name=\"b.txt\">\nbee\n</document>\n\n`},
		{"a model of text: the results follow at once", opener("chat"), model.Info{Name: "m", TextOnly: true}, `"content":"broken\n\n[The image (image/png, 3 bytes) was not sent: p/m takes only text.]"},{"role":"user","content":"so?"}`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			l := &listening{}
			row.model.Provider = "p"
			h := wire.HTTP{Who: row.model, Base: "http://recorded.invalid", Transport: l}
			if _, err := model.Ask(ctx, row.open(h), &model.Request{Messages: shown()}); err == nil {
				t.Fatal("a teapot answered")
			}
			if !strings.Contains(string(l.body), row.want) {
				t.Errorf("\nsent %s\nwant %s", l.body, row.want)
			}
		})
	}
}
