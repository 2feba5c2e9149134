package agent

// The window of a model is kept by code that counts what the conversation takes, replaces old results by references,
// and replaces old messages by notes: what must survive word for word, gathered by code, and a summary by the model. It asks
// no model and does no input or output: the agent does.

// CompactionOptions choose when a conversation is compacted. The zero value has the defaults.
type CompactionOptions struct {
	Off bool // only when the user or the provider wants it

	// The parts of the usable window at which a stage begins, in percent. 0, and more than 100, mean 60, 75 and 90. A stage
	// never begins before the one in front of it.
	References, Summary, Cut int
	// Most is how many tokens a conversation may have, however large the window is; 0 means defaultMost.
	Most int
}

// The defaults of Options.
const (
	defaultReferences = 60
	defaultSummary    = 75
	defaultCut        = 90
	defaultMost       = 250_000
)

// CompactionLimits are the sizes for one model, in tokens.
type CompactionLimits struct {
	Window int `json:"window"` // of the model
	Usable int `json:"usable"` // for a request: the window without the room for the answer

	References int `json:"references"` // the fill at which old results become references
	Summary    int `json:"summary"`    // the fill at which older messages become a summary
	Cut        int `json:"cut"`        // the fill at which older messages go without a summary
	MustFree   int `json:"must_free"`  // what a compaction must free

	Results    int `json:"results"`     // of the newest results, which stay
	Tail       int `json:"tail"`        // of the newest messages, which stay
	Anchors    int `json:"anchors"`     // of what survives word for word
	Prompts    int `json:"prompts"`     // of it the messages of the user
	SummaryOut int `json:"summary_out"` // of the summary
	OneResult  int `json:"one_result"`  // of one result
	Aim        int `json:"aim"`         // of the whole, after a summary
}

// sizes are the limits for five windows; between two of them they are interpolated. docs/compaction.md has the reasons.
var sizes = [...]CompactionLimits{
	{Window: 8_000, MustFree: 2_000, Results: 1_000, Tail: 1_200, Anchors: 800, Prompts: 500, SummaryOut: 600, OneResult: 800},
	{Window: 32_000, MustFree: 8_000, Results: 5_000, Tail: 5_000, Anchors: 3_000, Prompts: 2_000, SummaryOut: 1_500, OneResult: 4_000},
	{Window: 128_000, MustFree: 32_000, Results: 25_000, Tail: 16_000, Anchors: 8_000, Prompts: 5_000, SummaryOut: 3_000, OneResult: 12_500},
	{Window: 200_000, MustFree: 50_000, Results: 35_000, Tail: 20_000, Anchors: 10_000, Prompts: 6_000, SummaryOut: 4_000, OneResult: 12_500},
	{Window: 1_000_000, MustFree: 60_000, Results: 60_000, Tail: 32_000, Anchors: 16_000, Prompts: 10_000, SummaryOut: 6_000, OneResult: 12_500},
}

// The bounds of the room for the answer, and its share of the window.
const (
	leastRoom = 2_000
	mostRoom  = 32_000
	roomShare = 8
)

// LimitsFor returns the limits for a window of a model whose requests may have maxInput tokens and whose answers maxOutput.
// 0 means unknown. Without a window the limits are zero: nothing is compacted until the provider refuses a request.
func (o CompactionOptions) LimitsFor(window, maxInput, maxOutput int) CompactionLimits {
	if window <= 0 {
		return CompactionLimits{}
	}
	l := between(window)
	room := max(window/roomShare, leastRoom)
	if maxOutput > 0 {
		room = max(min(maxOutput, room), leastRoom)
	}
	l.Window, l.Usable = window, max(window-min(room, mostRoom), window/2)
	if maxInput > 0 {
		l.Usable = min(l.Usable, maxInput)
	}
	most := o.Most
	if most <= 0 {
		most = defaultMost
	}
	share := func(percent, usual int) int {
		if percent <= 0 || percent > 100 {
			percent = usual
		}
		return l.Usable * percent / 100
	}
	l.References = min(share(o.References, defaultReferences), most*4/5)
	l.Summary = max(min(share(o.Summary, defaultSummary), most), l.References)
	l.Cut = max(share(o.Cut, defaultCut), l.Summary)
	l.MustFree = min(l.MustFree, window/4)
	l.Aim = min(l.Usable*45/100, most*2/5)
	return l
}

// beside are the limits where the system prompt and the tools take a good part of the window: what is kept of the conversation, and each
// result, is as large as in the window that is left.
func (l CompactionLimits) beside(taken int) CompactionLimits {
	small := between(max(l.Window-taken, sizes[0].Window/2))
	l.MustFree, l.Results, l.Tail, l.Anchors = min(l.MustFree, small.MustFree), min(l.Results, small.Results), min(l.Tail, small.Tail), min(l.Anchors, small.Anchors)
	l.Prompts, l.SummaryOut, l.OneResult = min(l.Prompts, small.Prompts), min(l.SummaryOut, small.SummaryOut), min(l.OneResult, small.OneResult)
	return l
}

// between interpolates the sizes.
func between(window int) CompactionLimits {
	i := 1
	for i < len(sizes)-1 && window > sizes[i].Window {
		i++
	}
	a, b := sizes[i-1], sizes[i]
	at := func(x, y int) int {
		n := x + (y-x)*(window-a.Window)/(b.Window-a.Window)
		return min(max(n, x*window/(2*a.Window), 100), max(y, x))
	}
	return CompactionLimits{
		MustFree: at(a.MustFree, b.MustFree), Results: at(a.Results, b.Results), Tail: at(a.Tail, b.Tail), Anchors: at(a.Anchors, b.Anchors),
		Prompts: at(a.Prompts, b.Prompts), SummaryOut: at(a.SummaryOut, b.SummaryOut), OneResult: at(a.OneResult, b.OneResult),
	}
}
