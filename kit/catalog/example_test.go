package catalog_test

import (
	"fmt"

	"rein/kit/catalog"
	"rein/model"
)

// The catalogue has the limits and the prices of a model by its provider and its name.
func Example() {
	m, known := catalog.Find("anthropic", "claude-sonnet-4-5")
	fmt.Println(known, m.Limit.Context, m.Limit.Output, m.Source)
	fmt.Printf("$%.3f\n", m.Cost.Price(model.Usage{Input: 50_000, CacheRead: 40_000, Output: 1_000}))
	// What is known better replaces it.
	m = m.With(catalog.Model{Limit: catalog.Limit{Context: 100_000}, Source: catalog.Settings})
	fmt.Println(m.Limit.Context, m.Source)
	// Output:
	// true 200000 64000 catalogue
	// $0.057
	// 100000 settings
}
