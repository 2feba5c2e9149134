package history

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // decodes
	"image/jpeg"
	_ "image/png" // decodes
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // decodes

	"golang.org/x/image/draw"

	"rein/model"
)

// What every provider takes.
const (
	MostAttachments = 20        // images and documents in a request; with more, one provider lowers the size that it takes
	MostImageBytes  = 3_750_000 // of one image: 5 MB as base64
	MostImageSide   = 2_000     // pixels
	MostDocument    = 20 << 20  // bytes of one document
	mostPixels      = 100_000_000
)

// unchanged marks a part that is right as it is.
const unchanged = "\x00"

// cleaned returns a part that a provider takes, and what was changed; unchanged when it takes p.
func cleaned(p model.Part, drop bool) (model.Part, string) {
	switch p.Kind {
	case model.ImageKind:
		if drop {
			return inWords(p, "the provider refused the images of this conversation"), ""
		}
		return cleanImage(p)
	case model.DocumentKind:
		switch {
		case drop:
			return inWords(p, "the provider refused the documents of this conversation"), ""
		case len(p.Data) > MostDocument:
			return inWords(p, "it is too large"), fmt.Sprintf("a document of %d bytes is sent as a text: it is too large", len(p.Data))
		}
		return p, unchanged
	}
	text, args, name := valid(p.Text), p.Args, valid(p.Name)
	if p.Kind == model.CallKind {
		args = loneSurrogate().ReplaceAllStringFunc(valid(args), onlyPairs)
	}
	if text == p.Text && args == p.Args && name == p.Name {
		return p, unchanged
	}
	p.Text, p.Args, p.Name = text, args, name
	return p, ""
}

// valid returns a text with a sign in place of bytes that are no UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// loneSurrogate matches escaped halves of a character, alone or in pairs, after an even number of backslashes.
var loneSurrogate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}(?:\\ud[c-f][0-9a-f]{2})?|\\ud[c-f][0-9a-f]{2}`)
})

// onlyPairs replaces half of a character by a sign.
func onlyPairs(found string) string {
	if found == `\\` || len(found) == 12 {
		return found
	}
	return `\ufffd`
}

// inWords is the text in place of an image or a document.
func inWords(p model.Part, why string) model.Part {
	name := p.Name
	if name != "" {
		name = " " + name
	}
	return model.Part{Kind: model.TextKind, ID: p.ID, Text: fmt.Sprintf("[The %s%s (%s, %d bytes) was not sent: %s.]", p.Kind, name, p.MediaType, len(p.Data), why)}
}

// cleanImage corrects the type of an image, and makes one that is too large smaller.
func cleanImage(p model.Part) (model.Part, string) {
	found := http.DetectContentType(p.Data)
	if !strings.HasPrefix(found, "image/") {
		if strings.HasPrefix(p.MediaType, "image/hei") {
			return p, unchanged
		}
		return inWords(p, "it is not an image"), "an image is sent as a text: its data are not an image"
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
	small := err == nil && config.Width <= MostImageSide && config.Height <= MostImageSide && len(p.Data) <= MostImageBytes
	switch {
	case small && found == p.MediaType:
		return p, unchanged
	case small:
		note := fmt.Sprintf("an image that was said to be %s is %s, and is sent as that", p.MediaType, found)
		p.MediaType = found
		return p, note
	case err != nil, config.Width*config.Height > mostPixels, config.Width <= 0, config.Height <= 0:
		return inWords(p, "it cannot be read"), "an image is sent as a text: it cannot be read"
	}
	shrunk, err := shrink(p.Data, config)
	if err != nil {
		return inWords(p, "it cannot be read"), fmt.Sprintf("an image is sent as a text: %v", err)
	}
	note := fmt.Sprintf("an image of %d×%d pixels and %d bytes is sent smaller", config.Width, config.Height, len(p.Data))
	p.Data, p.MediaType = shrunk, "image/jpeg"
	return p, note
}

// shrink returns the image as a JPEG within the limits.
func shrink(data []byte, config image.Config) ([]byte, error) {
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for side := MostImageSide; side >= MostImageSide/8; side /= 2 {
		scale := min(1, float64(side)/float64(max(config.Width, config.Height)))
		small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(config.Width)*scale)), max(1, int(float64(config.Height)*scale))))
		draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src) // JPEG has no transparency
		draw.ApproxBiLinear.Scale(small, small.Bounds(), whole, whole.Bounds(), draw.Over, nil)
		var out bytes.Buffer
		if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: 85}); err != nil {
			return nil, err
		}
		if out.Len() <= MostImageBytes {
			return out.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("it has more than %d bytes at any size", MostImageBytes)
}
