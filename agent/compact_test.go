package agent

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"rein/event"
	"rein/model"
	"rein/tool"
)

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		window, input, output int
		want                  CompactionLimits
	}{
		{0, 0, 0, CompactionLimits{}},
		{128_000, 0, 0, CompactionLimits{Window: 128_000, Usable: 112_000, References: 67_200, Summary: 84_000, Cut: 100_800, MustFree: 32_000, Results: 25_000, Tail: 16_000,
			Anchors: 8_000, Prompts: 5_000, SummaryOut: 3_000, OneResult: 12_500, Aim: 50_400}},
		{1_000_000, 0, 64_000, CompactionLimits{Window: 1_000_000, Usable: 968_000, References: 200_000, Summary: 250_000, Cut: 871_200, MustFree: 60_000, Results: 60_000, Tail: 32_000,
			Anchors: 16_000, Prompts: 10_000, SummaryOut: 6_000, OneResult: 12_500, Aim: 100_000}},
	} {
		if got := (CompactionOptions{}).LimitsFor(row.window, row.input, row.output); got != row.want {
			t.Errorf("%d: got %+v", row.window, got)
		}
	}
	if l := (CompactionOptions{}).LimitsFor(400_000, 100_000, 0); l.Usable != 100_000 || l.Cut > 100_000 {
		t.Errorf("a bound of the request: %+v", l)
	}
	o := CompactionOptions{References: 50, Summary: 40, Cut: 30, Most: 10_000}
	if l := o.LimitsFor(128_000, 0, 0); l.References != 8_000 || l.Summary != 10_000 || l.Cut != 33_600 {
		t.Errorf("options: %+v", l)
	}
	last := CompactionLimits{}
	for window := 1_000; window < 3_000_000; window += window / 7 {
		l := (CompactionOptions{}).LimitsFor(window, 0, 0)
		for i, n := range []int{l.Usable, l.References, l.Summary, l.Cut, l.MustFree, l.Results, l.Tail, l.Anchors, l.Prompts, l.SummaryOut, l.OneResult} {
			if n <= 0 || n > window {
				t.Fatalf("%d: number %d is %d", window, i, n)
			}
		}
		if l.Tail < last.Tail || l.Usable < last.Usable || l.References > l.Summary || l.Summary > l.Cut {
			t.Errorf("%d: %+v after %+v", window, l, last)
		}
		last = l
	}
}

// drawn makes a history at random: messages of the user, answers with parallel calls, failed results, images, thinking.
func drawn(r *rand.Rand, n, size int) *measuredHistory {
	h := &measuredHistory{}
	h.Base("m", strings.Repeat("system ", 100), nil)
	seq := int64(0)
	for range n {
		seq += int64(1 + r.IntN(3))
		if h.Len() == 0 || r.IntN(6) == 0 {
			h.Add(model.UserText(words(r, 1+r.IntN(size))), seq)
			continue
		}
		m := &model.Message{Role: model.Assistant, From: "m", Parts: []model.Part{{Kind: model.ThinkingKind, Text: "hm", Signature: "s"}, model.Text(words(r, 1+r.IntN(50)))}}
		var results []model.Part
		for range r.IntN(4) {
			id := model.NewID()
			m.Parts = append(m.Parts, model.Part{Kind: model.CallKind, ID: id, Name: "read", Args: `{"p":"` + words(r, r.IntN(40)) + `"}`})
			results = append(results, model.Result(id, words(r, r.IntN(size)), r.IntN(5) == 0))
			if r.IntN(8) == 0 {
				results = append(results, model.Part{Kind: model.ImageKind, ID: id, MediaType: "image/png", Data: []byte("x")})
			}
		}
		h.Add(m, seq)
		if len(results) > 0 {
			h.Add(model.Answer(m, results...), seq)
		} else {
			seq++
			h.Add(model.UserText("go on"), seq)
		}
	}
	return h
}

func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%d ", r.IntN(1000))
	}
	return b.String()
}

// TestEveryCutIsLegal draws histories and compacts them in every way: what is left is legal, fits, and is smaller.
func TestEveryCutIsLegal(t *testing.T) {
	if testing.Short() {
		t.Skip("many trials, one after the other")
	}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		h := drawn(r, 1+r.IntN(60), 10+r.IntN(3000))
		window := 4_000 << r.IntN(6)
		l := (CompactionOptions{}).LimitsFor(window, 0, 0)
		var ledger compactionLedger
		before := h.Tokens()
		check := func(what string, e event.Compaction, notes *model.Message) {
			t.Helper()
			c := h.Clone()
			c.Apply(event.Event{Compaction: &e}, notes)
			if messages := c.Messages(); model.Check(messages) != nil && messages[len(messages)-1].Role != model.Assistant {
				t.Fatalf("seed %d: %s: %v", seed, what, model.Check(messages))
			}
			if what == "cut" && c.Tokens() > l.Usable {
				t.Fatalf("seed %d: %d tokens are left of %d, %d are usable", seed, c.Tokens(), before, l.Usable)
			}
			if h.Tokens() != before {
				t.Fatalf("seed %d: the history changed", seed)
			}
		}
		refs, freed := h.References(l, nil)
		if freed < 0 {
			t.Fatalf("seed %d: references free %d", seed, freed)
		}
		check("references", event.Compaction{References: refs}, nil)
		check("oversize", event.Compaction{References: h.Oversize(l, true)}, nil)
		notes := func(n int) *model.Message { return model.UserText(ledger.Notes("", n, n)) }
		if c, ok := h.Tail(l, l.Tail); ok && c.To > 0 {
			check("tail", event.Compaction{To: c.To, References: c.References}, notes(c.Notes))
		}
		if c, err := h.CutTo(l, l.Usable*60/100); err == nil {
			check("cut", event.Compaction{To: c.To, References: c.References}, notes(c.Notes))
		}
	}
}

// TestTheLadderEnds has histories that hold one thing which is far too large.
func TestTheLadderEnds(t *testing.T) {
	large := strings.Repeat("word ", 2_000_000)
	call := model.Part{Kind: model.CallKind, ID: "c", Name: "write", Args: `{"text":"` + large[:5_000_000] + `"}`}
	for name, messages := range map[string][]*model.Message{
		"a message of the user": {model.UserText(large)},
		"a result":              {model.UserText("go"), {Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: "c", Name: "read", Args: "{}"}}}, {Role: model.Results, Parts: []model.Part{model.Result("c", large, false)}}},
		"arguments":             {model.UserText("go"), {Role: model.Assistant, Parts: []model.Part{call}}, {Role: model.Results, Parts: []model.Part{model.Result("c", "ok", false)}}},
	} {
		t.Run(name, func(t *testing.T) {
			var h measuredHistory
			var ledger compactionLedger
			for i, m := range messages {
				h.Add(m, int64(i+1))
				if m.Role == model.User {
					ledger.See(event.Event{Kind: event.Prompted, Seq: int64(i + 1), Text: m.Text()})
				}
			}
			l := (CompactionOptions{}).LimitsFor(8_000, 0, 0)
			c, err := h.CutTo(l, l.Usable*60/100)
			if err != nil {
				t.Fatal(err)
			}
			h.Apply(event.Event{Compaction: &event.Compaction{To: c.To, References: c.References}}, model.UserText(ledger.Notes("", c.Notes, min(l.Prompts, c.Notes))))
			if h.Tokens() > l.Usable || model.Check(h.Messages()) != nil {
				t.Errorf("%d tokens are left, %v", h.Tokens(), model.Check(h.Messages()))
			}
		})
	}
	var h measuredHistory
	h.Base("m", large, nil)
	h.Add(model.UserText("hi"), 1)
	if _, err := h.CutTo((CompactionOptions{}).LimitsFor(8_000, 0, 0), 3_000); err == nil || !strings.Contains(err.Error(), "fewer tools") {
		t.Errorf("a system prompt that is too large: %v", err)
	}
}

// TestNeedles compacts a session 20 times: what the user said, decided and planned is there word for word each time.
func TestNeedles(t *testing.T) {
	read := func(r tool.Result) (f CompactionFacts) {
		if json.Unmarshal(r.Detail, &f) != nil {
			return CompactionFacts{}
		}
		return f
	}
	l := (CompactionOptions{}).LimitsFor(128_000, 0, 0)
	a, b := compactionLedger{Read: read}, compactionLedger{Read: read}
	var h measuredHistory
	var needles []string
	seq := int64(0)
	see := func(e event.Event) {
		seq++
		e.Seq = seq
		a.See(e)
		b.See(e)
	}
	call := &tool.Call{ID: "1", Name: "bash", Args: json.RawMessage(`{"command":"rm -r data"}`)}
	for round := range 20 {
		for k := range 2 {
			text := fmt.Sprintf("fact %d-%d: the value is %d", round, k, rand.IntN(1<<30))
			needles = append(needles, text)
			see(event.Event{Kind: event.Prompted, Text: text})
			h.Add(model.UserText(text), seq)
		}
		words := fmt.Sprintf("no, because of reason %d", rand.IntN(1<<30))
		needles = append(needles, words)
		see(event.Event{Kind: event.Called, Call: call})
		see(event.Event{Kind: event.Refused, Call: call, Answer: &event.Answer{Choice: "denied", Words: words}})
		see(event.Event{Kind: event.Replied, Call: call, Result: &tool.Result{ID: "1", Failed: true, Kind: tool.Denied}})
		plan := []string{fmt.Sprintf("- [pending] step %d", round)}
		detail, err := json.Marshal(CompactionFacts{Plan: plan, Files: []CompactedFile{{Path: fmt.Sprintf("file%d.go", round), State: "changed"}}, Jobs: []CompactedJob{{ID: fmt.Sprint("j", round), Command: "serve", Running: true}}})
		if err != nil {
			t.Fatal(err)
		}
		see(event.Event{Kind: event.Replied, Call: &tool.Call{ID: "2", Name: "todo"}, Result: &tool.Result{ID: "2", Detail: detail}})
		needles = append(needles, fmt.Sprintf("file%d.go: changed by todo", round), fmt.Sprintf("j%d: serve", round))
		text := a.Notes("Task: hold the facts.", l.Anchors, l.Prompts)
		h.Apply(event.Event{Compaction: &event.Compaction{To: seq}}, model.UserText(text))
		if h.Len() != 1 || text != b.Notes("Task: hold the facts.", l.Anchors, l.Prompts) {
			t.Fatalf("round %d: %d messages, or other bytes", round, h.Len())
		}
		for _, n := range append(needles, plan[0]) {
			if strings.Count(text, n) != 1 {
				t.Fatalf("round %d: %q comes %d times in\n%s", round, n, strings.Count(text, n), text)
			}
		}
		if n := estimateTokens(text); n > l.Anchors+l.SummaryOut {
			t.Fatalf("round %d: the notes have %d tokens", round, n)
		}
	}
}

// TestTheNotesHaveABound gives the ledger far more than fits.
func TestTheNotesHaveABound(t *testing.T) {
	var l compactionLedger
	for i := range 5_000 {
		l.See(event.Event{Kind: event.Prompted, Seq: int64(i + 1), Text: fmt.Sprintf("message number %d of the user %s", i, strings.Repeat("and more ", i%200))})
	}
	for _, most := range []int{300, 1_000, 8_000} {
		text := l.Notes("", most, most*2/3)
		if n := estimateTokens(text); n > most+most/10+200 {
			t.Errorf("%d tokens, at most %d", n, most)
		}
		for _, want := range []string{"message number 0 of", "message number 4999 of", "messages that are left out: "} {
			if !strings.Contains(text, want) {
				t.Errorf("with %d tokens %q is missing", most, want)
			}
		}
	}
	l.See(event.Event{Kind: event.Rewound, At: 3})
	if text := l.Notes("", 1000, 1000); strings.Contains(text, "message number 2 ") || !strings.Contains(text, "message number 1 ") {
		t.Errorf("after going back: %s", text)
	}
}

func TestApplyTwiceIsOnce(t *testing.T) {
	h := drawn(rand.New(rand.NewPCG(3, 3)), 40, 2000)
	l := (CompactionOptions{}).LimitsFor(16_000, 0, 0)
	refs, _ := h.References(l, nil)
	e := event.Event{Compaction: &event.Compaction{References: refs}}
	h.Apply(e, nil)
	once := h.Clone()
	h.Apply(e, nil)
	if again, _ := h.References(l, nil); len(again) > 0 || len(refs) == 0 {
		t.Errorf("%d references, %d more", len(refs), len(again))
	}
	if !reflect.DeepEqual(once.Parts(""), h.Parts("")) {
		t.Error("the second time changed something")
	}
}

// BenchmarkTurn is what a turn without a compaction adds: a call, a result of 32 kB, and the question whether it fits.
func BenchmarkTurn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	text := words(r, 6_500)
	var base measuredHistory
	l := (CompactionOptions{}).LimitsFor(128_000, 0, 0)
	for i := range 60 {
		base.Add(model.UserText(words(r, 100)), int64(i+1))
	}
	ask := &model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: "c", Name: "read", Args: `{"path":"a.go"}`}}}
	results := &model.Message{Role: model.Results, Parts: []model.Part{model.Result("c", text, false)}}
	for b.Loop() {
		h := base.Clone()
		h.Answered("m", 5000)
		h.Add(ask, 100)
		h.Add(results, 100)
		if h.Tokens() >= l.References || len(h.Oversize(l, false)) > 0 {
			b.Fatal("too much")
		}
		h.Messages()
	}
}
