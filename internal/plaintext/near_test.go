package plaintext

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	tools := []string{"read_file", "write_file", "list_files", "grep", "bash", "math.factorial"}
	for _, row := range []struct {
		rule, name string
		want       []string
	}{
		{"a wrong last letter", "read_filz", []string{"read_file"}},
		{"another case", "ReadFile", []string{"read_file"}},
		{"another separator", "math_factorial", []string{"math.factorial"}},
		{"swapped neighbours", "gerp", []string{"grep"}},
		{"an added letter", "bash_", []string{"bash"}},
		{"the end of a name", "factorial", []string{"math.factorial"}},
		{"nothing near", "send_mail_to_bob", nil},
		{"empty", "", nil},
		{"only separators", "__", nil},
		{"the name itself is no suggestion", "grep", nil},
	} {
		if got := NearestNames(row.name, tools); !slices.Equal(got, row.want) {
			t.Errorf("%s: Names(%q) = %q, want %q", row.rule, row.name, got, row.want)
		}
	}
}

func TestNamesPutsTheNearestFirstAndStopsAtThree(t *testing.T) {
	got := NearestNames("color", []string{"colors_x", "colour", "colors", "colon"})
	if want := []string{"colour", "colors", "colon"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongNamesAreCheap(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	if got := NearestName(long, []string{long + "b", "x"}); got != long+"b" {
		t.Error("the beginning decides for names beyond the limit")
	}
}
