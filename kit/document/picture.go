package document

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decodes
	"image/jpeg"
	"image/png"
	"strings"

	_ "golang.org/x/image/bmp" // decodes
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // decodes
	_ "golang.org/x/image/webp" // decodes
)

// The limits of an image before it is decoded.
const (
	MostPictureFile = 32 << 20  // bytes of the file
	mostSide        = 20_000    // pixels
	mostPixels      = 50 << 20  // in all
	mostMemory      = 256 << 20 // bytes of the decoded image
)

// The defaults of Options: every provider takes such an image, also beside many others.
const (
	PictureSide  = 1568
	defaultBytes = 1_500_000
)

// Options are what a model takes. The zero value means the defaults.
type Options struct {
	Side  int             // pixels of the longer side; 0 means PictureSide
	Bytes int             // of the file; 0 means defaultBytes
	Part  image.Rectangle // of the upright image; the zero value is all of it
}

// Picture is an image that a model takes.
type Picture struct {
	Data          []byte
	MediaType     string // image/png or image/jpeg
	Width, Height int

	From Header // of the image as it was
}

// Header is what the first bytes of an image say.
type Header struct {
	Format        string // png, jpeg, gif, webp, bmp or tiff
	Width, Height int    // upright
	Turned        bool   // the file says that it must be turned
}

// String returns format and size: "png, 640×480".
func (h Header) String() string { return fmt.Sprintf("%s, %d×%d", h.Format, h.Width, h.Height) }

// ErrPictureFormat reports data that are no image of a known format.
var ErrPictureFormat = errors.New("not an image of a known format (PNG, JPEG, GIF, WebP, BMP, TIFF)")

// IsPicture reports whether a file that begins with head looks like an image that FitPicture reads.
func IsPicture(head []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "BM", "II*\x00", "MM\x00*"} {
		if strings.HasPrefix(string(head), magic) {
			return true
		}
	}
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

// checkPicture reads the header and refuses what would take too much memory to decode. It allocates next to nothing.
func checkPicture(data []byte) (Header, error) {
	if len(data) > MostPictureFile {
		return Header{}, fmt.Errorf("the file has %d bytes; the limit is %d", len(data), MostPictureFile)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if errors.Is(err, image.ErrFormat) {
		return Header{}, ErrPictureFormat
	}
	if err != nil {
		return Header{}, fmt.Errorf("the image is damaged: %w", err)
	}
	h := Header{Format: format, Width: config.Width, Height: config.Height}
	switch pixels := int64(h.Width) * int64(h.Height); {
	case h.Width <= 0 || h.Height <= 0:
		return h, errors.New("the image has no pixels")
	case h.Width > mostSide || h.Height > mostSide || pixels > mostPixels:
		return h, fmt.Errorf("%d × %d pixels: more than %d million, or a side of more than %d", h.Width, h.Height, mostPixels>>20, mostSide)
	case pixels*bytesOf(config.ColorModel) > mostMemory:
		return h, fmt.Errorf("%d × %d pixels of %d bytes: more than %d MiB of memory", h.Width, h.Height, bytesOf(config.ColorModel), mostMemory>>20)
	}
	if turn := orientationOf(data); turn > 1 {
		h.Turned = true
		if turn > 4 {
			h.Width, h.Height = h.Height, h.Width
		}
	}
	return h, nil
}

// bytesOf is how many bytes a pixel takes.
func bytesOf(m color.Model) int64 {
	switch m {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.GrayModel:
		return 1
	}
	return 4
}

// FitPicture returns the image upright, without its metadata, and within the limits. Of an animation it returns the first
// picture.
func FitPicture(data []byte, o Options) (Picture, error) {
	from, err := checkPicture(data)
	if err != nil {
		return Picture{From: from}, err
	}
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return Picture{From: from}, fmt.Errorf("the image is damaged: %w", err)
	}
	side, most := o.Side, o.Bytes
	if side <= 0 {
		side = PictureSide
	}
	if most <= 0 {
		most = defaultBytes
	}
	turn := orientationOf(data)
	if !o.Part.Empty() {
		if whole, turn = part(turnUpright(whole, turn), o.Part), 0; whole.Bounds().Empty() {
			return Picture{From: from}, fmt.Errorf("the part %v is outside of the image (%v)", o.Part, from)
		}
	}
	lossless := from.Format != "jpeg" && from.Format != "webp"
	for ; side >= 16; side /= 2 {
		small := turnUpright(scaled(whole, side), turn)
		p := Picture{Width: small.Bounds().Dx(), Height: small.Bounds().Dy(), From: from}
		if p.Data, p.MediaType, err = encoded(small, lossless, most); err != nil || p.Data != nil {
			return p, err
		}
	}
	return Picture{From: from}, fmt.Errorf("the image has more than %d bytes at any size", most)
}

// part copies a part of an image.
func part(m image.Image, r image.Rectangle) image.Image {
	r = r.Add(m.Bounds().Min).Intersect(m.Bounds())
	out := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Bounds(), m, r.Min, draw.Src)
	return out
}

// scaled returns the image with no side longer than side.
func scaled(whole image.Image, side int) image.Image {
	b := whole.Bounds()
	longer := max(b.Dx(), b.Dy())
	if longer <= side {
		return whole
	}
	size := func(side int) image.Rectangle {
		return image.Rect(0, 0, max(1, b.Dx()*side/longer), max(1, b.Dy()*side/longer))
	}
	if longer > 4*side { // roughly first: the good scaler is slow on large images, and the eye sees no difference
		rough := image.NewNRGBA(size(2 * side))
		draw.ApproxBiLinear.Scale(rough, rough.Bounds(), whole, b, draw.Src, nil)
		whole, b = rough, rough.Bounds()
	}
	small := image.NewNRGBA(size(side))
	draw.BiLinear.Scale(small, small.Bounds(), whole, b, draw.Src, nil) // keeps small letters, unlike ApproxBiLinear
	return small
}

// encoded writes the image as PNG, or as JPEG where that is too large or the image was one. Nil: it does not fit.
func encoded(m image.Image, lossless bool, most int) ([]byte, string, error) {
	var out bytes.Buffer
	if lossless {
		fast := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := fast.Encode(&out, m); err != nil {
			return nil, "", err
		}
		if out.Len() <= most {
			return out.Bytes(), "image/png", nil
		}
	}
	opaque := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(opaque, opaque.Bounds(), image.White, image.Point{}, draw.Src) // JPEG has no transparency
	draw.Draw(opaque, opaque.Bounds(), m, m.Bounds().Min, draw.Over)
	for _, quality := range []int{85, 60} {
		out.Reset()
		if err := jpeg.Encode(&out, opaque, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", err
		}
		if out.Len() <= most {
			return out.Bytes(), "image/jpeg", nil
		}
	}
	return nil, "", nil
}
