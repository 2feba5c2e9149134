package agent

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"rein/kit/providers"
	"rein/model"
)

func picture(t *testing.T, width, height int, noise bool) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := 0; noise && i < len(m.Pix); i++ {
		m.Pix[i] = byte(rand.IntN(256))
	}
	m.Set(0, 0, color.Black)
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWhatIsChanged(t *testing.T) {
	small := picture(t, 3, 3, false)
	rows := []struct {
		name string
		in   model.Part
		want string // the beginning of the text; of an image its type and its largest side
		note string
	}{
		{"a text that is right", model.Text("hi"), "hi", ""},
		{"invalid UTF-8", model.Text("a\xffb"), "a\uFFFDb", ""},
		{"an image that is right", model.Image("image/png", small), "image/png 3", ""},
		{"an image of the wrong type", model.Image("image/jpeg", small), "image/png 3", "is sent as that"},
		{"an image that is none", model.Image("image/png", []byte("<html>")), "[The image (image/png, 6 bytes) was not sent: it is not an image.]", "not an image"},
		{"an image that is cut off", model.Image("image/png", small[:20]), "[The image (image/png, 20 bytes) was not sent: it cannot be read.]", "cannot be read"},
		{"an image with many pixels", model.Image("image/png", picture(t, 3000, 10, false)), "image/jpeg 2000", "smaller"},
		{"an image with many bytes", model.Image("image/png", picture(t, 1500, 1000, true)), "image/jpeg 1500", "smaller"},
		{"a document", model.Document("application/pdf", "a", []byte("%PDF")), "", ""},
		{"a document that is too large", model.Document("application/pdf", "a", make([]byte, mostDocument+1)), "[The document a (application/pdf, 20971521 bytes) was not sent: it is too large.]", "too large"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var c checker
			m := model.UserParts(model.Text("look"), row.in)
			legal, notes := c.legal([]*model.Message{m}, model.Info{}, providers.ShrinkImage)
			p := legal[0].Parts[1]
			got := p.Text
			if p.Kind == model.ImageKind {
				config, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
				if err != nil {
					t.Fatal(err)
				}
				got = fmt.Sprintf("%s %d", p.MediaType, max(config.Width, config.Height))
			}
			if got != row.want || (row.note == "") != (len(notes) == 0) || row.note != "" && !strings.Contains(notes[0], row.note) {
				t.Errorf("got %q, %q", got, notes)
			}
			again, notes := c.legal([]*model.Message{m}, model.Info{}, providers.ShrinkImage)
			if again[0] != legal[0] || len(notes) > 0 {
				t.Errorf("the second request has another message, or notes again: %q", notes)
			}
		})
	}
}

func TestLoneSurrogates(t *testing.T) {
	for args, want := range map[string]string{
		`{"a":"\ud83d\ude00"}`:       `{"a":"\ud83d\ude00"}`,
		`{"a":"\ud83d"}`:             `{"a":"\ufffd"}`,
		`{"a":"\uDE00x"}`:            `{"a":"\ufffdx"}`,
		`{"a":"\\ud83d"}`:            `{"a":"\\ud83d"}`,
		`{"a":"\\\ud83d"}`:           `{"a":"\\\ufffd"}`,
		`{"a":"\ud83d\ud83d\ude00"}`: `{"a":"\ufffd\ud83d\ude00"}`,
		"{\"a\":\"\xff\"}":           "{\"a\":\"\uFFFD\"}",
	} {
		p, _ := cleaned(model.Part{Kind: model.CallKind, ID: "1", Name: "x", Args: args}, false, nil)
		if p.Args != want {
			t.Errorf("%s: %s, want %s", args, p.Args, want)
		}
	}
}

func TestTooManyImages(t *testing.T) {
	var messages []*model.Message
	for i := range mostAttachments + 5 {
		id := fmt.Sprint("c", i)
		ask := &model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: id, Name: "look", Args: "{}"}}}
		img := model.Image("image/png", picture(t, 2, 2, false))
		img.ID = id
		messages = append(messages, model.UserText("next"), ask, model.Answer(ask, model.Result(id, "seen", false), img))
	}
	var c checker
	legal, _ := c.legal(messages, model.Info{}, providers.ShrinkImage)
	images := 0
	for _, m := range legal {
		images += countAttachments(m)
	}
	if err := model.Check(legal); err != nil || images != mostAttachments || countAttachments(legal[2]) != 0 || !strings.Contains(legal[2].Parts[0].Text, "too many newer ones") {
		t.Errorf("%d images, %v, %+v", images, err, legal[2].Parts)
	}
	if n := c.dropAttachments(messages); n != mostAttachments+5 {
		t.Errorf("dropped %d", n)
	}
	legal, _ = c.legal(messages, model.Info{}, providers.ShrinkImage)
	for _, m := range legal {
		if countAttachments(m) > 0 {
			t.Fatal("an image is left")
		}
	}
	if err := model.Check(legal); err != nil {
		t.Error(err)
	}
}

// TestTheHistoryItselfStays checks that only copies are changed.
func TestTheHistoryItselfStays(t *testing.T) {
	m := model.UserParts(model.Text("a\xff"), model.Image("image/png", []byte("x")))
	list := []*model.Message{m}
	var c checker
	if legal, _ := c.legal(list, model.Info{}, providers.ShrinkImage); legal[0] == m || list[0] != m || m.Parts[0].Text != "a\xff" || m.Parts[1].Kind != model.ImageKind {
		t.Errorf("got %+v", m)
	}
}

// The types of images are those of net/http, which the package does not import for its size.
func TestImageType(t *testing.T) {
	for _, data := range []string{"\x89PNG\r\n\x1a\n", "\x89PNG", "\xff\xd8\xff\xe0", "\xff\xd8", "GIF87a", "GIF89ax", "GIF88a", "BM6", "B", "\x00\x00\x01\x00\x01", "\x00\x00\x02\x00",
		"\x00\x00\x03\x00", "RIFF\x10\x00\x00\x00WEBPVP8 ", "RIFF\x10\x00\x00\x00WEBPVP", "RIFF\x10\x00\x00\x00WEBP", "RIFF\x10\x00\x00\x00WAVEfmt", "%PDF-1.7", "<html>", " GIF89a", "", "text"} {
		want := http.DetectContentType([]byte(data))
		if !strings.HasPrefix(want, "image/") {
			want = ""
		}
		if got := imageType([]byte(data)); got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}

// What is wrong with a history stays in it: it is said once, not with each request.
func TestABrokenHistoryIsSaidOnce(t *testing.T) {
	var c checker
	messages := []*model.Message{model.UserText("hello"), {Role: model.Assistant}, model.UserText("again")}
	for request, want := range []int{1, 0, 1, 0} {
		if request == 2 { // another answer was empty
			messages = append(messages, &model.Message{Role: model.Assistant}, model.UserText("well?"))
		}
		if legal, notes := c.legal(messages, model.Info{}, nil); len(notes) != want || model.Check(legal) != nil {
			t.Errorf("request %d: %q, %v", request, notes, model.Check(legal))
		}
	}
}
