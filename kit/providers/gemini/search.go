package gemini

import (
	"encoding/json"

	"rein/model"
)

// sources returns the pages that the provider's search found, with what the answer says with each. Their addresses lead to the pages
// through a server of the provider; their titles are names of hosts.
func sources(grounding []byte) []model.Source {
	if len(grounding) == 0 {
		return nil
	}
	var g struct {
		GroundingChunks []struct {
			Web struct{ URI, Title string }
		}
		GroundingSupports []struct {
			Segment               struct{ Text string }
			GroundingChunkIndices []int
		}
	}
	_ = json.Unmarshal(grounding, &g)
	var pages model.Sources
	for _, c := range g.GroundingChunks {
		pages.Add(model.Source{Title: c.Web.Title, URL: c.Web.URI})
	}
	for _, s := range g.GroundingSupports {
		for _, i := range s.GroundingChunkIndices {
			if i >= 0 && i < len(g.GroundingChunks) {
				pages.Add(model.Source{URL: g.GroundingChunks[i].Web.URI, Text: s.Segment.Text})
			}
		}
	}
	return pages.All()
}
