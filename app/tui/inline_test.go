package tui

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strings"
	"testing"
)

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		for y := range h {
			img.Set(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), 128, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestInlineDetect(t *testing.T) {
	for _, row := range []struct {
		env  map[string]string
		want imageProtocol
	}{
		{map[string]string{"TERM": "xterm-kitty"}, imagesKitty}, {map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, imagesKitty},
		{map[string]string{"TERM_PROGRAM": "iTerm.app"}, iTerm}, {map[string]string{"TERM_PROGRAM": "WezTerm"}, iTerm}, {map[string]string{"TERM": "foot"}, imagesSixel},
		{map[string]string{"TERM": "xterm-256color"}, imagesNone}, {map[string]string{"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, imagesNone},
	} {
		if got := detectImages(func(name string) string { return row.env[name] }); got != row.want {
			t.Errorf("%v: %s", row.env, got)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, row := range [][6]int{{100, 100, 40, 20, 10, 5}, {1000, 500, 40, 20, 40, 10}, {500, 2000, 40, 10, 5, 10}, {1, 1, 40, 20, 1, 1}, {4000, 10, 40, 20, 40, 1}} {
		if w, h := fit(row[0], row[1], row[2], row[3]); w != row[4] || h != row[5] {
			t.Errorf("%v: %d, %d", row, w, h)
		}
	}
}

// What the terminal of kitty gets is an image of the right size, in pieces that it takes.
func TestKitty(t *testing.T) {
	seq, w, h, err := drawImage(imagesKitty, picture(t, 800, 400), 40, 10)
	if err != nil || w != 40 || h != 10 {
		t.Fatal(w, h, err)
	}
	var coded strings.Builder
	pieces := regexp.MustCompile(`\x1b_G([^;]*);([^\x1b]*)\x1b\\`).FindAllStringSubmatch(seq, -1)
	for i, p := range pieces {
		if coded.WriteString(p[2]); len(p[2]) > 4096 || strings.Contains(p[1], "m=1") != (i < len(pieces)-1) {
			t.Errorf("piece %d: %s, %d bytes", i, p[1], len(p[2]))
		}
	}
	raw, err := base64.StdEncoding.DecodeString(coded.String())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil || img.Bounds().Dx() != 400 || img.Bounds().Dy() != 200 || !strings.Contains(pieces[0][1], "c=40,r=10") {
		t.Errorf("%v, %v, %s", img.Bounds(), err, pieces[0][1])
	}
}

// Each pixel of a sixel image is drawn by exactly one colour.
func TestSixel(t *testing.T) {
	seq, w, h, err := drawImage(imagesSixel, picture(t, 60, 40), 40, 10)
	if err != nil || w != 6 || h != 2 || !strings.HasPrefix(seq, "\x1bP0;1;0q\"1;1;60;40") || !strings.HasSuffix(seq, "\x1b\\") {
		t.Fatalf("%d by %d, %v, %.40q", w, h, err, seq)
	}
	body := strings.TrimSuffix(seq[strings.Index(seq, "60;40")+5:], "\x1b\\")
	bits := 0
	for _, m := range regexp.MustCompile(`#\d+;2;\d+;\d+;\d+|#\d+|!(\d+)(.)|[?-~]`).FindAllStringSubmatch(body, -1) {
		n, c := 1, m[0]
		if m[2] != "" {
			n, c = 0, m[2]
			for _, d := range m[1] {
				n = n*10 + int(d-'0')
			}
		}
		if len(c) == 1 && c[0] >= '?' && c != "$" {
			for b := c[0] - '?'; b > 0; b &= b - 1 {
				bits += n
			}
		}
	}
	if bits != 60*40 {
		t.Errorf("%d of %d pixels", bits, 60*40)
	}
}

func TestWhatIsNotDrawn(t *testing.T) {
	for name, data := range map[string][]byte{"no image": []byte("hello"), "a bomb": append([]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), 0)} {
		if _, _, _, err := drawImage(iTerm, data, 40, 10); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
	if _, _, _, err := drawImage(imagesNone, picture(t, 4, 4), 40, 10); err == nil {
		t.Error("a terminal without images drew one")
	}
}

// The block of an image has its rows, and writes nothing that is as wide as the image.
func TestABlock(t *testing.T) {
	if got := imageRows("X", 5, 3, 4); got != " \n \n \x1b7\x1b[2A\r\x1b[4CX\x1b8\r\x1b[9C" {
		t.Errorf("%q", got)
	}
}
