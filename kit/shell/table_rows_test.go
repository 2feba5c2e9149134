package shell

import "testing"

func BenchmarkLoadTable(b *testing.B) {
	for b.Loop() {
		if _, err := loadTable(); err != nil {
			b.Fatal(err)
		}
	}
}
