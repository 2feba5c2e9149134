package extend

import (
	"archive/zip"
	"bytes"
	"fmt"
)

func ExampleRead() {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"skill/SKILL.md", "../evil"} {
		w, _ := z.Create(name)
		fmt.Fprint(w, "text")
	}
	_ = z.Close()
	err := readArchive(b.Bytes(), func(name string, text []byte) { fmt.Println(name, len(text)) })
	fmt.Println(err)
	// Output:
	// skill/SKILL.md 4
	// ../evil lies outside of the archive
}
