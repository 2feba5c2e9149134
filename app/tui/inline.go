package tui

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color/palette"
	"image/draw"
	_ "image/gif" // the formats that are drawn
	_ "image/jpeg"
	"image/png"
	"strings"
)

// imageProtocol is how a terminal takes images.
type imageProtocol string

// The protocols. None draws nothing.
const (
	imagesNone  imageProtocol = "none"
	imagesKitty imageProtocol = "kitty"
	iTerm       imageProtocol = "iterm2"
	imagesSixel imageProtocol = "sixel"
)

// detectImages returns the protocol of a terminal by its environment. tmux and screen pass none of them on.
func detectImages(getenv func(string) string) imageProtocol {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "":
		return imagesNone
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty" || program == "ghostty" || term == "xterm-ghostty":
		return imagesKitty
	case program == "iTerm.app" || program == "WezTerm" || getenv("LC_TERMINAL") == "iTerm2":
		return iTerm
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "mlterm") || strings.HasPrefix(term, "contour") || getenv("WT_SESSION") != "":
		return imagesSixel
	}
	return imagesNone
}

// The size of a cell in pixels that images are made for, and the largest image that is decoded, in pixels.
const (
	cellWidth, cellHeight = 10, 20
	mostPixels            = 50_000_000
)

// drawImage returns what draws an image at the cursor, and its size in cells: at most cols and rows. The cursor may be anywhere afterwards.
func drawImage(p imageProtocol, data []byte, cols, rows int) (seq string, width, height int, err error) {
	if p == imagesNone || cols < 2 || rows < 1 {
		return "", 0, 0, errors.New("this terminal draws no images")
	}
	info, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", 0, 0, err
	}
	if info.Width < 1 || info.Height < 1 || info.Width > mostPixels/info.Height {
		return "", 0, 0, fmt.Errorf("an image of %d by %d is not drawn", info.Width, info.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return "", 0, 0, err
	}
	width, height = fit(info.Width, info.Height, cols, rows)
	small := scale(img, min(width*cellWidth, info.Width), min(height*cellHeight, info.Height))
	if p == imagesSixel {
		small = scale(img, width*cellWidth, height*cellHeight) // it has no size of its own
		return sixel(small), width, height, nil
	}
	var b bytes.Buffer
	if err := png.Encode(&b, small); err != nil {
		return "", 0, 0, err
	}
	coded := base64.StdEncoding.EncodeToString(b.Bytes())
	if p == iTerm {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=0:%s\a", b.Len(), width, height, coded), width, height, nil
	}
	return kitty(coded, width, height), width, height, nil
}

// imageSize names the size and the format of an image; "" is that it cannot be read.
func imageSize(data []byte) string {
	info, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d by %d %s", info.Width, info.Height, format)
}

// fit returns the cells of an image: as wide as it is, but at most cols and rows.
func fit(w, h, cols, rows int) (width, height int) {
	width = min(max((w+cellWidth-1)/cellWidth, 1), cols)
	height = max((width*cellWidth*h/w+cellHeight-1)/cellHeight, 1)
	if height > rows {
		height = rows
		width = min(max(rows*cellHeight*w/h/cellWidth, 1), cols)
	}
	return width, height
}

// scale makes an image of a size: each pixel is the average of those that it covers.
func scale(img image.Image, w, h int) *image.RGBA {
	from := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top, bottom := from.Min.Y+y*from.Dy()/h, from.Min.Y+max((y+1)*from.Dy()/h, y*from.Dy()/h+1)
		for x := range w {
			left, right := from.Min.X+x*from.Dx()/w, from.Min.X+max((x+1)*from.Dx()/w, x*from.Dx()/w+1)
			var sum [4]uint64
			for sy := top; sy < bottom; sy++ {
				for sx := left; sx < right; sx++ {
					r, g, b, a := img.At(sx, sy).RGBA()
					for i, v := range []uint32{r, g, b, a} {
						sum[i] += uint64(v)
					}
				}
			}
			n := uint64((bottom - top) * (right - left))
			at := out.PixOffset(x, y)
			for i := range sum {
				out.Pix[at+i] = uint8(sum[i] / n >> 8)
			}
		}
	}
	return out
}

// kitty writes the image in pieces of at most 4096 bytes. The terminal answers nothing, and the cursor stays.
func kitty(coded string, cols, rows int) string {
	const most = 4096
	var b strings.Builder
	head := fmt.Sprintf("a=T,f=100,q=2,C=1,c=%d,r=%d,", cols, rows)
	for coded != "" {
		piece := coded[:min(len(coded), most)]
		coded = coded[len(piece):]
		more := 0
		if coded != "" {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", head, more, piece)
		head = ""
	}
	return b.String()
}

// sixel writes the image with 256 colours: bands of six rows, each colour of a band for itself.
func sixel(img *image.RGBA) string {
	paletted := image.NewPaletted(img.Bounds(), palette.Plan9)
	draw.FloydSteinberg.Draw(paletted, img.Bounds(), img, image.Point{})
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1;0q\"1;1;%d;%d", w, h)
	named := [256]bool{}
	for band := 0; band < h; band += 6 {
		used := map[uint8]bool{}
		var order []uint8
		for y := band; y < min(band+6, h); y++ {
			for x := range w {
				if c := paletted.ColorIndexAt(x, y); !used[c] {
					used[c] = true
					order = append(order, c)
				}
			}
		}
		for i, c := range order {
			if i > 0 {
				b.WriteByte('$') // back to the start of the band
			}
			if !named[c] {
				named[c] = true
				r, g, bl, _ := palette.Plan9[c].RGBA()
				fmt.Fprintf(&b, "#%d;2;%d;%d;%d", c, r*100/0xFFFF, g*100/0xFFFF, bl*100/0xFFFF)
			}
			fmt.Fprintf(&b, "#%d", c)
			writeBand(&b, paletted, c, band, w, h)
		}
		b.WriteByte('-')
	}
	return b.String() + "\x1b\\"
}

// writeBand writes where a colour is in a band, with runs counted.
func writeBand(b *strings.Builder, img *image.Paletted, c uint8, band, w, h int) {
	last, n := byte(0), 0
	flush := func() {
		switch {
		case n > 3:
			fmt.Fprintf(b, "!%d%c", n, last)
		default:
			for range n {
				b.WriteByte(last)
			}
		}
	}
	for x := range w {
		bits := byte(0)
		for i := range min(6, h-band) {
			if img.ColorIndexAt(x, band+i) == c {
				bits |= 1 << i
			}
		}
		if bits += '?'; bits != last {
			flush()
			last, n = bits, 0
		}
		n++
	}
	flush()
}

// imageRows returns rows of text that hold an image: empty rows, and in the last one what goes back up and draws. The image begins in the
// given column. The cursor is behind the image in the last row afterwards: what is erased to the end of the row is no part of it.
func imageRows(seq string, width, height, column int) string {
	up := ""
	if height > 1 {
		up = fmt.Sprintf("\x1b[%dA", height-1)
	}
	return strings.Repeat(" \n", height-1) + " \x1b7" + up + fmt.Sprintf("\r\x1b[%dC", column) + seq + fmt.Sprintf("\x1b8\r\x1b[%dC", column+width)
}
