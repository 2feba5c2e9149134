package edit

// WithoutEdges drops the blank lines around old, and those of new that answer to them.
func (p readingPair) WithoutEdges() readingPair {
	head, newHead := edge(p.Old, p.New, func(l []string, i int) string { return l[i] })
	p.Old, p.New = p.Old[head:], p.New[newHead:]
	tail, newTail := edge(p.Old, p.New, func(l []string, i int) string { return l[len(l)-1-i] })
	p.Old, p.New = p.Old[:len(p.Old)-tail], p.New[:len(p.New)-newTail]
	if head+tail > 0 {
		p = p.with("blank lines")
	}
	return p
}

// WithoutEdgeGaps drops placeholders at the two ends of old, and of new where it has them, too: they stand for text outside.
func (p readingPair) WithoutEdgeGaps() readingPair {
	for len(p.Old) > 1 && isPlaceholder(p.Old[0]) {
		if len(p.New) > 0 && foldKey(p.New[0]) == foldKey(p.Old[0]) {
			p.New = p.New[1:]
		}
		p.Old = p.Old[1:]
		p = p.WithoutEdges()
	}
	for len(p.Old) > 1 && isPlaceholder(p.Old[len(p.Old)-1]) {
		if n := len(p.New); n > 0 && foldKey(p.New[n-1]) == foldKey(p.Old[len(p.Old)-1]) {
			p.New = p.New[:n-1]
		}
		p.Old = p.Old[:len(p.Old)-1]
		p = p.WithoutEdges()
	}
	return p
}

// edge counts the blank lines to drop at one end of old and of new; at reads lines from that end. Where new leaves
// off old's first lines, and old has a blank line there, one blank line of new is that one.
func edge(old, new []string, at func([]string, int) string) (inOld, inNew int) {
	for inOld < len(old) && isBlankLine(at(old, inOld)) {
		inOld++
	}
	for inNew < len(new) && inNew < inOld && isBlankLine(at(new, inNew)) {
		inNew++
	}
	if inNew == 0 || inNew == len(new) || inOld == len(old) || isBlankLine(at(new, inNew)) {
		return inOld, inNew
	}
	first := foldKey(at(new, inNew))
	for i := inOld; i < len(old); i++ {
		if foldKey(at(old, i)) == first {
			if i > inOld && isBlankLine(at(old, i-1)) {
				inNew--
			}
			break
		}
	}
	return inOld, inNew
}
