package document

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientationOf is the EXIF orientation of an image, 1 to 8; 1 where the file names none.
func orientationOf(data []byte) int {
	if o := tiffOrientation(found(data)); o >= 1 && o <= 8 {
		return o
	}
	return 1
}

// found returns the EXIF data, which have the form of a TIFF file, in an image. Nil: there are none.
func found(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		return jpegExif(data[2:])
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return chunk(data[8:], "eXIf", binary.BigEndian)
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return bytes.TrimPrefix(chunk(data[12:], "EXIF", binary.LittleEndian), []byte("Exif\x00\x00"))
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		return data
	}
	return nil
}

// jpegExif finds the EXIF segment of a JPEG, before the pixels begin.
func jpegExif(data []byte) []byte {
	for len(data) >= 4 && data[0] == 0xff && data[1] != 0xda {
		size := int(binary.BigEndian.Uint16(data[2:])) + 2
		if size > len(data) {
			return nil
		}
		if found, ok := bytes.CutPrefix(data[4:size], []byte("Exif\x00\x00")); ok && data[1] == 0xe1 {
			return found
		}
		data = data[size:]
	}
	return nil
}

// chunk finds a chunk of a PNG, whose numbers are big-endian, or of a WebP, whose numbers are little-endian.
func chunk(data []byte, name string, order binary.ByteOrder) []byte {
	const head = 8 // the size and the name; in a WebP the name comes first
	for len(data) >= head {
		found, size := string(data[:4]), int64(order.Uint32(data[4:]))
		after := size & 1
		if order == binary.BigEndian {
			found, size, after = string(data[4:head]), int64(order.Uint32(data)), 4 // the checksum
		}
		if size+after > int64(len(data)-head) {
			return nil
		}
		if found == name {
			return data[head : head+size]
		}
		data = data[head+size+after:]
	}
	return nil
}

// tiffOrientation reads the tag of the orientation in the first directory of a TIFF file. 0: there is none.
func tiffOrientation(data []byte) int {
	if len(data) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if data[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return 0
	}
	entries := int64(order.Uint16(data[at:]))
	const tag, length = 0x112, 12
	for i := range entries {
		entry := at + 2 + i*length
		if entry+length > int64(len(data)) {
			return 0
		}
		if order.Uint16(data[entry:]) == tag {
			return int(order.Uint16(data[entry+8:]))
		}
	}
	return 0
}

// turnUpright turns and mirrors an image by its EXIF orientation.
func turnUpright(m image.Image, orientation int) image.Image {
	if orientation <= 1 {
		return m
	}
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if orientation > 4 {
		out = image.NewNRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			to := [...]image.Point{2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y}, 5: {y, x},
				6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x}}[orientation]
			out.Set(to.X, to.Y, m.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return out
}
