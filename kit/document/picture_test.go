package document

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// corner is an image whose left upper corner is red and the rest is blue.
func corner(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{B: 255, A: 255}
			if x < w/2 && y < h/2 {
				c = color.NRGBA{R: 255, A: 255}
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func encode(t *testing.T, format string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	case "bmp":
		err = bmp.Encode(&b, m)
	case "tiff":
		err = tiff.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFormats(t *testing.T) {
	for _, format := range []string{"png", "jpeg", "gif", "bmp", "tiff"} {
		data := encode(t, format, corner(300, 200))
		if !IsPicture(data[:16]) {
			t.Errorf("%s is not recognised", format)
		}
		p, err := FitPicture(data, Options{Side: 150})
		if err != nil || p.Width != 150 || p.Height != 100 || p.From.String() != format+", 300×200" {
			t.Errorf("%s: got %d×%d of %v, %v", format, p.Width, p.Height, p.From, err)
		}
		if r, _, b := pixel(t, p.Data, 10, 10); r < 200 || b > 80 {
			t.Errorf("%s: the corner has lost its colour: %d %d", format, r, b)
		}
	}
}

func pixel(t *testing.T, data []byte, x, y int) (r, g, b uint32) {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ = m.At(x, y).RGBA()
	return r >> 8, g >> 8, b >> 8
}

// withExif puts an EXIF segment with an orientation and a comment into a JPEG.
func withExif(data []byte, orientation int) []byte {
	tag := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(rune(orientation)) + "\x00\x00\x00\x00\x00\x00SECRETPLACE")
	segment := append([]byte{0xff, 0xe1, 0, byte(len(tag) + 2)}, tag...)
	return append(append(append([]byte{}, data[:2]...), segment...), data[2:]...)
}

func TestOrientation(t *testing.T) {
	plain := encode(t, "jpeg", corner(40, 20))
	// Where the red corner is after the image was turned upright.
	for orientation, at := range map[int]struct{ w, h, x, y int }{
		1: {40, 20, 5, 5}, 2: {40, 20, 35, 5}, 3: {40, 20, 35, 15}, 4: {40, 20, 5, 15},
		5: {20, 40, 5, 5}, 6: {20, 40, 15, 5}, 7: {20, 40, 15, 35}, 8: {20, 40, 5, 35},
	} {
		p, err := FitPicture(withExif(plain, orientation), Options{})
		if err != nil || p.Width != at.w || p.Height != at.h {
			t.Fatalf("orientation %d: %d×%d, %v", orientation, p.Width, p.Height, err)
		}
		if r, _, b := pixel(t, p.Data, at.x, at.y); r < 200 || b > 80 {
			t.Errorf("orientation %d: the corner is not at %d,%d", orientation, at.x, at.y)
		}
		if bytes.Contains(p.Data, []byte("SECRETPLACE")) {
			t.Errorf("orientation %d: metadata are left", orientation)
		}
	}
}

func TestPart(t *testing.T) {
	data := encode(t, "png", corner(100, 100))
	p, err := FitPicture(data, Options{Part: image.Rect(40, 40, 140, 60)})
	if r, _, _ := pixel(t, p.Data, 2, 2); err != nil || p.Width != 60 || p.Height != 20 || r < 200 {
		t.Errorf("%d×%d, %v", p.Width, p.Height, err)
	}
	if _, err := FitPicture(data, Options{Part: image.Rect(200, 0, 210, 10)}); err == nil {
		t.Error("a part outside of the image was cut")
	}
}

// hugeHeader is a PNG whose header names a size, with next to no data.
func hugeHeader(side uint32) []byte {
	head := []byte("IHDR\x00\x00\x00\x00\x00\x00\x00\x00\x08\x06\x00\x00\x00")
	binary.BigEndian.PutUint32(head[4:], side)
	binary.BigEndian.PutUint32(head[8:], side)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

func TestHostileImages(t *testing.T) {
	damaged := encode(t, "png", corner(300, 300))
	for name, row := range map[string]struct {
		data []byte
		says string
	}{
		"a header of 100,000 × 100,000":    {hugeHeader(100_000), "100000 × 100000 pixels"},
		"a header of 19,000 × 19,000":      {hugeHeader(19_000), "million"},
		"a header of 4 billion":            {hugeHeader(1 << 31), "damaged"},
		"no pixels":                        {hugeHeader(0), "damaged"},
		"the end is missing":               {damaged[:len(damaged)/2], "damaged"},
		"text":                             {[]byte("hello"), ErrPictureFormat.Error()},
		"nothing":                          {nil, ErrPictureFormat.Error()},
		"more bytes than the limit":        {make([]byte, MostPictureFile+1), "the limit is"},
		"a JPEG that ends in its segments": {[]byte("\xff\xd8\xff\xe1\xff\xff"), "damaged"},
	} {
		if _, err := FitPicture(row.data, Options{}); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Noise compresses badly: such an image becomes a JPEG, and smaller until it fits.
func TestBytesAreBounded(t *testing.T) {
	noise := image.NewNRGBA(image.Rect(0, 0, 800, 800))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32())
	}
	p, err := FitPicture(encode(t, "png", noise), Options{Bytes: 60_000})
	if err != nil || len(p.Data) > 60_000 || p.MediaType != "image/jpeg" || p.Width >= 800 {
		t.Errorf("got %d bytes of %s, %d wide: %v", len(p.Data), p.MediaType, p.Width, err)
	}
}

func FuzzFit(f *testing.F) {
	f.Add(hugeHeader(10))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff"))
	f.Add([]byte("RIFF\x10\x00\x00\x00WEBPEXIF\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := checkPicture(data); err != nil || h.Width*h.Height > 1<<20 {
			return
		}
		if p, err := FitPicture(data, Options{Side: 64}); err == nil && max(p.Width, p.Height) > 64 {
			t.Errorf("%d×%d", p.Width, p.Height)
		}
	})
}

func BenchmarkFitScreenshot(b *testing.B) {
	var data bytes.Buffer
	if err := png.Encode(&data, corner(3840, 2160)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := FitPicture(data.Bytes(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
