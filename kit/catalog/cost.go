package catalog

import "rein/model"

// Cost holds prices in US dollars for a million tokens.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read,omitempty"`  // 0: as Input
	CacheWrite float64 `json:"cache_write,omitempty"` // 0: as Input
	// Tiers are the prices of long requests.
	Tiers []Tier `json:"tiers,omitempty"`
}

// Tier holds the prices of requests with more than Over.Size tokens.
type Tier struct {
	Over struct {
		Size int64 `json:"size"`
	} `json:"tier"`
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read,omitempty"`
	CacheWrite float64 `json:"cache_write,omitempty"`
}

// Price returns what a request costs, in US dollars; 0 without prices.
func (c *Cost) Price(u model.Usage) float64 {
	if c == nil {
		return 0
	}
	in, out, read, write, size := c.Input, c.Output, c.CacheRead, c.CacheWrite, int64(0)
	for _, t := range c.Tiers {
		if u.Input > t.Over.Size && t.Over.Size > size {
			in, out, read, write, size = t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Over.Size
		}
	}
	if read == 0 {
		read = in
	}
	if write == 0 {
		write = in
	}
	plain := max(u.Input-u.CacheRead-u.CacheWrite, 0)
	return (float64(plain)*in + float64(u.CacheRead)*read + float64(u.CacheWrite)*write + float64(u.Output)*out) / 1e6
}
