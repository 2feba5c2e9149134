package tool

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// FileURI returns the address of a file, such as file:///home/a%20b or file:///C:/work. The path is absolute.
func FileURI(path string) string { return fileURI(filepath.ToSlash(path)) }

func fileURI(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// FilePath returns the file of an address; "" for an address that is none of a file.
func FilePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(fromURI(u.Path, runtime.GOOS))
}

func fromURI(path, system string) string {
	if system == "windows" && len(path) > 2 && path[2] == ':' {
		return path[1:]
	}
	return path
}
