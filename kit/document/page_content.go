package document

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	minParagraph = 25  // characters of a block that count at all
	minContent   = 140 // characters of a main part; with less the whole page is taken
	inMain       = 0.3 // share of a landmark's prose that its best part needs to be chosen for it
	inArticle    = 0.7 // the same for an article, which is nearly always the content itself
)

// mainPart finds the main content of a page. Authors mark it (main, article). Otherwise the position of the text shows it: a
// block of text gives points to its parents, by length and commas, and links cost points. If no part has clearly more
// points, the whole body is returned. byName means that class names may show what is clutter.
func mainPart(body *html.Node, byName bool) (content *html.Node, whole bool) {
	root := landmark(body)
	unclutter(root, byName)
	s := scores{weight: map[*html.Node]float64{}, sizes: measure(root)}
	s.collect(root)
	best := s.best(root)
	if best == nil || root != body && s.sizes[best].prose() < int(float64(s.sizes[root].prose())*needed(root)) {
		best = root
	}
	best = s.withSiblings(best, root)
	if best == body || measure(best)[best].text < minContent {
		return body, true
	}
	s.tidy(best)
	return best, false
}

func needed(landmark *html.Node) float64 {
	if landmark.DataAtom == atom.Article || attributeOf(landmark, "itemprop") == "articleBody" {
		return inArticle
	}
	return inMain
}

// landmark is the element that is marked as the main content, if it has enough text.
func landmark(body *html.Node) *html.Node {
	var mains, articles []*html.Node
	for n := range body.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch {
		case n.DataAtom == atom.Main || attributeOf(n, "role") == "main" || attributeOf(n, "itemprop") == "articleBody":
			mains = append(mains, n)
		case n.DataAtom == atom.Article:
			articles = append(articles, n)
		}
	}
	sizes := measure(body)
	for _, list := range [][]*html.Node{mains, articles} {
		if len(list) == 1 && sizes[list[0]].prose() > minContent && sizes[list[0]].prose()*4 > sizes[body].prose() {
			return list[0]
		}
	}
	return body
}
