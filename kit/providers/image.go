package providers

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decodes
	"image/jpeg"
	_ "image/png" // decodes

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes
)

// What every provider takes of one image.
const (
	mostImageBytes  = 3_750_000   // 5 MB as base64
	mostImageSide   = 2_000       // pixels
	mostImagePixels = 100_000_000 // of an image that is made smaller
)

// ShrinkImage returns an image as every provider takes it, and what was changed: "" where it is sent as it is. It is what
// agent.Agent.Shrink is for.
func ShrinkImage(data []byte) (smaller []byte, note string, err error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, "", errors.New("it cannot be read")
	case config.Width <= mostImageSide && config.Height <= mostImageSide && len(data) <= mostImageBytes:
		return data, "", nil
	case config.Width*config.Height > mostImagePixels, config.Width <= 0, config.Height <= 0:
		return nil, "", errors.New("it cannot be read")
	}
	if smaller, err = jpegOf(data, config); err != nil {
		return nil, "", err
	}
	return smaller, fmt.Sprintf("an image of %d×%d pixels and %d bytes is sent smaller", config.Width, config.Height, len(data)), nil
}

// jpegOf returns the image as a JPEG within the limits.
func jpegOf(data []byte, config image.Config) ([]byte, error) {
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for side := mostImageSide; side >= mostImageSide/8; side /= 2 {
		scale := min(1, float64(side)/float64(max(config.Width, config.Height)))
		small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(config.Width)*scale)), max(1, int(float64(config.Height)*scale))))
		draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src) // JPEG has no transparency
		draw.ApproxBiLinear.Scale(small, small.Bounds(), whole, whole.Bounds(), draw.Over, nil)
		var out bytes.Buffer
		if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: 85}); err != nil {
			return nil, err
		}
		if out.Len() <= mostImageBytes {
			return out.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("it has more than %d bytes at any size", mostImageBytes)
}
