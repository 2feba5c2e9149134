package agent

// correction is how much a model's real counts differ from the estimates, learned from its answers. The zero value is the
// cautious one for a model that has not answered yet.
type correction struct {
	factor float64 // real tokens for one estimated token; 0: unknown
}

// The bounds of a correction.
const (
	unknownFactor = 1.15
	leastFactor   = 0.6
	mostFactor    = 1.8
	leastLearned  = 200 // tokens; of shorter texts the error is mostly chance
)

// apply returns an estimate as the model would count it.
func (c correction) apply(estimate int) int {
	f := c.factor
	if f == 0 {
		f = unknownFactor
	}
	return int(float64(estimate)*f + 0.5)
}

// learn takes what a provider counted for a text that was estimated. Half of the new factor is the old one.
func (c *correction) learn(estimate, counted int) {
	if estimate < leastLearned || counted <= 0 {
		return
	}
	f := min(max(float64(counted)/float64(estimate), leastFactor), mostFactor)
	if c.factor != 0 {
		f = (f + c.factor) / 2
	}
	c.factor = f
}
