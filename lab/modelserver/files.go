package modelserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rein/kit/script"
)

// The media types that providers take; see each provider's documentation of vision and of files.
var (
	webImages   = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	webFiles    = []string{"application/pdf"}
	geminiTypes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf", "text/plain"}
)

// attached checks an image or a document and returns the words that a script reads of it.
func attached(mediaType, data string, types []string) (string, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(data)
	switch {
	case err != nil || len(b) == 0:
		return "", fmt.Errorf("the data of %s are not base64: %.40q", mediaType, data)
	case !slices.Contains(types, mediaType):
		return "", fmt.Errorf("the media type %q is not one of %s", mediaType, strings.Join(types, ", "))
	}
	return script.Attached(mediaType, len(b)), nil
}

// fromURL is attached for data in a URL.
func fromURL(url string, types []string) (string, error) {
	head, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(url, "data:") {
		return "", fmt.Errorf("no data URL: %.40q", url)
	}
	return attached(head, data, types)
}

// openaiPart is one part of a content in the two protocols of OpenAI.
type openaiPart struct {
	Type     string
	Text     string
	ImageURL json.RawMessage `json:"image_url"`
	File     struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	}
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

// openaiContent returns the words of a text or of a list of parts.
func openaiContent(raw json.RawMessage) (string, error) {
	var all string
	if len(raw) == 0 || json.Unmarshal(raw, &all) == nil {
		return all, nil
	}
	var parts []openaiPart
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", fmt.Errorf("the content is neither a text nor a list of parts: %w", err)
	}
	for _, p := range parts {
		text, err := p.words()
		if err != nil {
			return "", err
		}
		all += text
	}
	return all, nil
}

func (p openaiPart) words() (string, error) {
	switch p.Type {
	case "text", "input_text", "output_text":
		return p.Text, nil
	case "image_url":
		var image struct{ URL string }
		if err := json.Unmarshal(p.ImageURL, &image); err != nil {
			return "", fmt.Errorf("image_url is not an object with a url")
		}
		return fromURL(image.URL, webImages)
	case "input_image":
		var url string
		if err := json.Unmarshal(p.ImageURL, &url); err != nil {
			return "", fmt.Errorf("image_url is not text")
		}
		return fromURL(url, webImages)
	case "file", "input_file":
		if p.File.Name+p.Name == "" {
			return "", fmt.Errorf("a file without filename")
		}
		return fromURL(p.File.Data+p.Data, webFiles)
	}
	return "", fmt.Errorf("unknown part %q", p.Type)
}

// source is where a block of the messages protocol has its bytes.
type source struct {
	Type      string
	MediaType string `json:"media_type"`
	Data      string
}

// words returns what a script reads of a text, an image or a document.
func (b content) words() (string, error) {
	switch {
	case b.Type == "text" && strings.TrimSpace(b.Text) == "":
		return "", fmt.Errorf("text content blocks must contain non-whitespace text")
	case b.Type == "text":
		return b.Text, nil
	case b.Type == "image" && b.Source.Type == "base64":
		return attached(b.Source.MediaType, b.Source.Data, webImages)
	case b.Type == "document" && b.Source.Type == "base64":
		return attached(b.Source.MediaType, b.Source.Data, webFiles)
	case b.Type == "document" && b.Source.Type == "text" && b.Source.MediaType == "text/plain" && b.Source.Data != "":
		return script.Attached("text/plain", len(b.Source.Data)), nil
	}
	return "", fmt.Errorf("unknown block %q from %q", b.Type, b.Source.Type)
}

// result returns the words of a result; a failed one may hold only texts.
func (b content) result() (string, error) {
	var all string
	if len(b.Content) == 0 || json.Unmarshal(b.Content, &all) == nil {
		return all, nil
	}
	var blocks []content
	if err := json.Unmarshal(b.Content, &blocks); err != nil {
		return "", fmt.Errorf("tool_result: the content is neither a text nor a list of blocks: %w", err)
	}
	for _, inner := range blocks {
		if b.Failed && inner.Type != "text" {
			return "", fmt.Errorf(`tool_result: all content must be type "text" if "is_error" is true`)
		}
		text, err := inner.words()
		if err != nil {
			return "", fmt.Errorf("tool_result: %w", err)
		}
		all += text
	}
	return all, nil
}

// blob is the bytes of a part of Gemini.
type blob struct{ MimeType, Data string }

// words returns what a script reads of the bytes, or nothing where there are none.
func (b *blob) words() (string, error) {
	if b == nil {
		return "", nil
	}
	return attached(b.MimeType, b.Data, geminiTypes)
}
