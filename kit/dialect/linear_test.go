package dialect

import (
	"strings"
	"testing"
	"time"
)

// shapes are texts that make a careless reader start over and over, for a dialect; each is a beginning and what is repeated.
func shapes(d *Dialect) [][2]string {
	own := "<tool_call>"
	for _, m := range d.marks().text.list {
		if m.kind == formOpen || m.kind == frameStart {
			own = m.lit
			break
		}
	}
	all := [][2]string{
		{"", own}, {"", own[:len(own)/2+1]}, {"", own + "<tool_call>"}, {"", own + "\n"}, {"", own + "`"}, {own, "["}, {own, "{"}, {own, `{"a":`}, {own, `"`}, {own, `\"`},
		{"", "["}, {"", "{"}, {"", "[{"}, {"", "`"}, {"", "``` "}, {"", "</think>"}, {"", "<think>"}, {"", "<"}, {"", "word "}, {own + `{"name": "read", "arguments": {"path": "`, "x"},
	}
	for i := range d.Calls {
		f := &d.Calls[i]
		start := strings.Join(append(append([]string{}, f.Section.Open...), f.Open...), "")
		for _, lit := range append(append(append([]string{}, f.Open...), f.Close...), f.Section.Close...) {
			all = append(all, [2]string{start, lit}, [2]string{start + `read" x=">` + "\n" + f.Tags.Param, lit})
		}
		if f.Tags.Param != "" {
			whole := f.Tags.Param + "a=\"b\"" + f.Tags.KeyEnd + f.Tags.Value
			all = append(all, [2]string{start + "read\">\n", whole}, [2]string{start + "read\">\n" + whole, strings.Join(f.Close, "") + strings.Join(f.Section.Close, "")})
		}
	}
	return all
}

// TestTimeGrowsWithTheText reads each shape once and eight times as long: it may not take much more than eight times as
// long. What is slow once and fast another time was the machine.
func TestTimeGrowsWithTheText(t *testing.T) {
	const short, times = 2 << 10, 8
	for _, d := range All() {
		if d.Same != "" {
			continue
		}
		for _, shape := range shapes(d) {
			small, large := repeatTo(shape, short), repeatTo(shape, short*times)
			least, most := readingTime(d, small), readingTime(d, large)
			for try := 0; most > 3*times*least+5*time.Millisecond; try++ {
				if try == 29 {
					t.Errorf("%s: %q and then %q: %v for %d bytes, %v for %d", d.Name, shape[0], shape[1], least, len(small), most, len(large))
					break
				}
				least, most = max(least, readingTime(d, small)), min(most, readingTime(d, large))
			}
		}
	}
}

func repeatTo(shape [2]string, size int) string {
	return shape[0] + strings.Repeat(shape[1], size/len(shape[1])+1)
}

func readingTime(d *Dialect, text string) time.Duration {
	began := time.Now()
	Parse(d, Options{Tools: offered}, text)
	return time.Since(began)
}

// TestLongHostileTexts reads up to a megabyte of each in the dialects that most models use.
func TestLongHostileTexts(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("<tool_call>", 100_000), strings.Repeat("[", 100_000), strings.Repeat("{", 100_000), strings.Repeat("<tool_", 100_000),
		strings.Repeat("<tool_call><function=", 20_000), strings.Repeat("<tool_call>[TOOL_CALLS]", 20_000), strings.Repeat("one long line of text ", 50_000),
		`<tool_call>{"name": "read", "arguments": {"path": "` + strings.Repeat("x", 1_000_000),
	} {
		for _, name := range []string{"hermes", "qwen3_coder", "glm45", "llama3_json", "pythonic", "mistral_v3"} {
			d, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if a := Parse(d, Options{Tools: offered}, text); len(a.Calls) > 0 {
				t.Errorf("%s: %.40q became a call", name, text)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s: %.40q took %v", name, text, took)
			}
		}
	}
}
