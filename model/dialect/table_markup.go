package dialect

import "slices"

// markup returns the dialects whose arguments are tagged values.
func markup() []Dialect {
	function := Tags{HeadEnd: []string{">", "</function>"}, Param: "<parameter=", KeyEnd: ">", ParamClose: []string{"</parameter>"}, Newlines: true}
	wrapped := Form{Syntax: Markup, Section: Span{Open: []string{"<tool_call>"}, Close: []string{"</tool_call>"}}, Open: []string{"<function="}, Close: []string{"</function>"}, Tags: function, HideCut: true, Each: true, Join: "\n"}
	step := wrapped
	step.Join = ""
	bare := Form{Syntax: Markup, Open: []string{"<function="}, Close: []string{"</function>"}, Tags: function}
	seed := wrapped
	seed.Tags.Snug = true
	seed.Section = Span{Open: []string{"<seed:tool_call>"}, Close: []string{"</seed:tool_call>"}}
	results := []Span{{Open: []string{"<tool_response>"}, Close: []string{"</tool_response>"}}}
	ends := []string{"<|im_end|>", "<|endoftext|>"}
	return []Dialect{
		{Name: "qwen3_coder", About: "Qwen3-Coder, MiMo-V2", Models: []string{"qwen3-coder", "mimo-v2"},
			Think: think(), CallsInThink: true, Calls: []Form{wrapped, bare}, Inert: results, Drop: append(ends, "</tool_call>"), NullText: true, DropTail: true},
		{Name: "qwen3_5", Same: "qwen3_coder", About: "Qwen3.5 and later", Models: []string{"qwen3.5", "qwen3.6", "qwen3.7", "qwen3.8"},
			Think: think(), CallsInThink: true, Calls: []Form{wrapped, bare}, Inert: results, Drop: append(ends, "</tool_call>"), NullText: true, DropTail: true},
		{Name: "nemotron3", Same: "qwen3_coder", About: "Nemotron 3", Models: []string{"nemotron-3", "nemotron3"},
			Think: think(), CallsInThink: true, Calls: []Form{wrapped, bare}, Inert: results, Drop: append(ends, "</tool_call>"), NullText: true, DropTail: true},
		{Name: "step3p5", About: "Step 3.5", Models: []string{"step-3.5", "step3.5", "step-3.7"},
			Think: think(), CallsInThink: true, Calls: []Form{step, bare}, Inert: results, Drop: append(ends, "</tool_call>")},
		{Name: "seed_oss", About: "Seed-OSS", Models: []string{"seed-oss"}, Think: []Span{{Open: []string{"<seed:think>"}, Close: []string{"</seed:think>"}}},
			Calls: []Form{seed}, Drop: []string{"<seed:eos>", "</seed:tool_call>"}},
		{Name: "glm45", About: "GLM-4.5, GLM-4.6", Models: []string{"glm-4.5", "glm4.5", "glm-4.6", "glm4.6"}, Think: think(), CallsInThink: true,
			Calls: []Form{glm45()}, Inert: results, Drop: []string{"<|observation|>", "<|user|>", "</tool_call>"}},
		{Name: "glm47", About: "GLM-4.7, GLM-5", Models: []string{"glm-4.7", "glm4.7", "glm-5", "glm5"}, Think: think(), CallsInThink: true,
			Calls: []Form{tight(glm())}, Inert: results, Drop: []string{"<|observation|>", "<|user|>", "</tool_call>"}},
		{Name: "glm5_2", Same: "glm47", About: "GLM-5.2", Models: []string{"glm-5.2", "glm5.2"}, Think: think(), CallsInThink: true,
			Calls: []Form{tight(glm())}, Inert: results, Drop: []string{"<|observation|>", "<|user|>", "</tool_call>"}},
		{Name: "poolside", About: "Laguna", Models: []string{"laguna"}, Think: think(), CallsInThink: true,
			Calls: poolside(), Inert: results, Drop: []string{"</assistant>", "</tool_call>"}},
		{Name: "hunyuan_v3", About: "Hunyuan 3 preview", Models: []string{"hunyuan-3", "hunyuan-v3", "hy3-preview"}, Think: hunyuanThink(), CallsInThink: true, Calls: hunyuan(),
			Inert: hunyuanResults(), Drop: []string{"<｜hy_eos｜>", "<｜hy_eos:opensource｜>"}},
		{Name: "hy3", Same: "hunyuan_v3", About: "Hunyuan 3", Models: []string{"hy3"}, Think: hunyuanThink(), CallsInThink: true, Calls: reversed(hunyuan()),
			Inert: hunyuanResults(), Drop: []string{"<｜hy_eos｜>", "<｜hy_eos:opensource｜>"}},
		{Name: "deepseek_v32", About: "DeepSeek V3.2", Models: []string{"deepseek-v3.2"}, Think: think(), CallsInThink: true, Calls: []Form{dsml("function_calls")},
			Drop: []string{"<｜end▁of▁sentence｜>"}, DropTail: true},
		{Name: "deepseek_v4", About: "DeepSeek V4", Models: []string{"deepseek-v4"}, Think: think(), CallsInThink: true, Calls: []Form{dsml("tool_calls")},
			Drop: []string{"<｜end▁of▁sentence｜>"}, DropTail: true},
		{Name: "minimax_m2", About: "MiniMax M2", Models: []string{"minimax-m2"}, Think: think(), Calls: []Form{invoke("minimax:tool_call", "")},
			Inert: []Span{{Open: []string{"<response>"}, Close: []string{"</response>"}}}},
		{Name: "minimax_m3", About: "MiniMax M3", Models: []string{"minimax-m3"}, Think: think(), Calls: []Form{minimax3()}},
		{Name: "claude_invoke", About: "Claude's text form, fine-tunes on its traces", Think: []Span{{Open: []string{"<thinking>", "<think>"}, Close: []string{"</thinking>", "</think>"}}},
			Calls: claude(), Inert: []Span{{Open: []string{"<function_results>"}, Close: []string{"</function_results>"}}}, Drop: []string{"</function_calls>", "</antml:function_calls>"}},
		{Name: "step3", About: "Step 3", Models: []string{"step3", "step-3"}, Think: think(), Calls: []Form{{Syntax: Markup,
			Section: Span{Open: []string{"<｜tool_calls_begin｜>"}, Close: []string{"<｜tool_calls_end｜>"}},
			Skip:    []string{"<｜tool_call_begin｜>", "function<｜tool_sep｜>", "<｜tool_call_end｜>"},
			Open:    []string{"<steptml:invoke"}, Close: []string{"</steptml:invoke>"}, NeedClose: true, Join: "\n", Lead: "<｜tool_call_begin｜>function<｜tool_sep｜>", Tail: "<｜tool_call_end｜>",
			Tags: Tags{HeadEnd: []string{">"}, NameAttr: "name", Param: "<steptml:parameter", KeyEnd: ">", KeyAttr: "name", ParamClose: []string{"</steptml:parameter>"}}}}},
		{Name: "minicpm5", About: "MiniCPM 5", Models: []string{"minicpm5", "minicpm-5"}, Think: think(), Calls: []Form{{Syntax: Markup,
			Open: []string{"<function name=", "<functionname=", "<functionĠname="}, Close: []string{"</function>"}, OnlyKnown: true,
			Tags: Tags{HeadEnd: []string{">"}, Param: "<param", KeyEnd: ">", KeyAttr: "name", ParamClose: []string{"</param>"}, CDATA: true, Strict: true, Tight: true}, NeedClose: true, Join: "\n"}}},
		{Name: "kimi_k3", About: "Kimi K3", Models: []string{"kimi-k3"}, Think: []Span{{Open: []string{"<|open|>think<|sep|>"}, Close: []string{"<|close|>think<|sep|>"}}}, Calls: []Form{{Syntax: Markup,
			Section: Span{Open: []string{"<|open|>tools<|sep|>", "<|open|> tools <|sep|>"}, Close: []string{"<|close|>tools<|sep|>", "<|close|> tools <|sep|>"}},
			Open:    []string{"<|open|>call", "<|open|> call"}, Close: []string{"<|close|>call<|sep|>", "<|close|> call <|sep|>"}, NeedClose: true, Hide: true,
			Tags: Tags{HeadEnd: []string{"<|sep|>"}, NameAttr: "tool", Param: "<|open|>argument", KeyEnd: "<|sep|>", KeyAttr: "key", TypeAttr: "type", Escaped: true, Closed: true, Tight: true,
				ParamClose: []string{"<|close|>argument<|sep|>", "<|close|> argument <|sep|>"}}}},
			Drop: []string{"<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|open|> response <|sep|>", "<|close|> response <|sep|>", "<|open|>message<|sep|>", "<|close|>message<|sep|>", "<|end_of_msg|>"}},
	}
}

// glm is the form of GLM: the name, then keys and values in tags of their own.
func glm() Form {
	return Form{Syntax: Markup, Open: []string{"<tool_call>"}, Close: []string{"</tool_call>"}, NeedClose: true, HideCut: true, Join: "\n",
		Tags: Tags{HeadEnd: []string{"\n", "<arg_key>", "</tool_call>"}, Param: "<arg_key>", KeyEnd: "</arg_key>", Value: "<arg_value>", ParamClose: []string{"</arg_value>"}}}
}

// tight is the same form written without line breaks.
func tight(form Form) Form {
	form.Tags.Tight, form.Join = true, ""
	return form
}

// glm45 reads a backslash and an n between tags as the line break that the model meant.
func glm45() Form {
	form := glm()
	form.Skip = []string{`\n`}
	form.Tags.HeadEnd = append(form.Tags.HeadEnd, `\n`)
	return form
}

// poolside is GLM's form and what its models fall back to: JSON in the tags, in <user> tags, or bare.
func poolside() []Form {
	main := glm()
	main.Tags.OrJSON = true
	user := main
	user.Open, user.Close, user.OnlyKnown = []string{"<user>"}, []string{"</user>"}, true
	user.HideCut = false
	return []Form{main, user, {LineStart: true, OnlyKnown: true}}
}

// hunyuan is GLM's form inside a section, each tag with or without :opensource.
func hunyuan() []Form {
	form := glm()
	form.Section = Span{Open: []string{"<tool_calls>"}, Close: []string{"</tool_calls>"}}
	form.Tags.HeadEnd = []string{"<tool_sep>"}
	open := form
	open.Section = Span{Open: []string{"<tool_calls:opensource>"}, Close: []string{"</tool_calls:opensource>"}}
	open.Open, open.Close = []string{"<tool_call:opensource>"}, []string{"</tool_call:opensource>"}
	open.HideCut = false
	open.Tags = Tags{HeadEnd: []string{"<tool_sep:opensource>"}, Param: "<arg_key:opensource>", KeyEnd: "</arg_key:opensource>", Value: "<arg_value:opensource>", ParamClose: []string{"</arg_value:opensource>"}}
	return []Form{form, open}
}

func hunyuanThink() []Span {
	return []Span{{Open: []string{"<think>", "<think:opensource>"}, Close: []string{"</think>", "</think:opensource>"}}}
}

func hunyuanResults() []Span {
	return []Span{{Open: []string{"<tool_responses>"}, Close: []string{"</tool_responses>"}}, {Open: []string{"<tool_responses:opensource>"}, Close: []string{"</tool_responses:opensource>"}}}
}

// reversed puts the last form first: it is the one that is written.
func reversed(forms []Form) []Form {
	slices.Reverse(forms)
	return forms
}

// dsml is the markup of DeepSeek from V3.2 on.
func dsml(section string) Form {
	return Form{Syntax: Markup, Section: Span{Open: []string{"<｜DSML｜" + section + ">"}, Close: []string{"</｜DSML｜" + section + ">"}},
		Open: []string{"<｜DSML｜invoke"}, Close: []string{"</｜DSML｜invoke>"}, Join: "\n",
		Tags: Tags{HeadEnd: []string{">"}, NameAttr: "name", Param: "<｜DSML｜parameter", KeyEnd: ">", KeyAttr: "name", ParamClose: []string{"</｜DSML｜parameter>"}, TypeAttr: "string"}}
}

// invoke is <invoke name="…"> with parameters, in a section; prefix stands before the tags' names.
func invoke(section, prefix string) Form {
	return Form{Syntax: Markup, Section: Span{Open: []string{"<" + section + ">"}, Close: []string{"</" + section + ">"}},
		Open: []string{"<" + prefix + "invoke"}, Close: []string{"</" + prefix + "invoke>"}, Join: "\n",
		Tags: Tags{HeadEnd: []string{">"}, NameAttr: "name", Param: "<" + prefix + "parameter", KeyEnd: ">", KeyAttr: "name", ParamClose: []string{"</" + prefix + "parameter>"}}}
}

// claude is the text form of Claude, each of its tags with or without a prefix, in a section or alone.
func claude() []Form {
	var forms []Form
	const marked = "antml:"
	for _, prefix := range []string{"", marked} {
		form := invoke(prefix+"function_calls", prefix)
		form.Section = Span{Open: []string{"<function_calls>", "<" + marked + "function_calls>"}, Close: []string{"</function_calls>", "</" + marked + "function_calls>"}}
		form.Tags.OrJSON = true
		alone := form
		alone.Section = Span{}
		forms = append(forms, form, alone)
	}
	return forms
}

// minimaxMark stands before each tag of MiniMax M3.
const minimaxMark = "]<]minimax[>["

func minimax3() Form {
	const mark = minimaxMark
	return Form{Syntax: Elements, Section: Span{Open: []string{mark + "<tool_call>"}, Close: []string{mark + "</tool_call>"}},
		Open: []string{mark + "<invoke"}, Close: []string{mark + "</invoke>"}, Join: "\n", Tags: Tags{HeadEnd: []string{">"}, NameAttr: "name", Prefix: mark}}
}
