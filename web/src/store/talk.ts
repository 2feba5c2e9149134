import type { Event, Usage } from "../api/client";

// A talk is what one session has said and done, made from its events. Items are replaced when they change, never changed,
// so that only what changed is drawn again.
export type Item = Person | Said | Call | Note | End;

interface Base {
	key: string;
	time: string;
	turn: number; // counts the user's messages, from 1
}
export interface Person extends Base { kind: "person"; text: string; files?: Record<string, string>[]; hint?: boolean; child?: string | undefined; by?: string | undefined }
export interface Said extends Base { kind: "said"; text: string; thought: string; model: string; ns: number; live: boolean; preparing: string[] }
export interface Note extends Base { kind: "note"; text: string; by: "notice" | "restarted" | "network" | "changed" | "damaged" | "hook" | "reviewed" | "tools_offered" | "compacted" | "files_undone" | "forked" | "rewound" | "imported" | "audit"; event: Event }
export interface End extends Base { kind: "end"; stop: string; text: string }
export interface Call extends Base {
	kind: "call";
	id: string;
	session: string;
	name: string;
	args: Record<string, unknown>;
	event: Event; // Called
	state: "judged" | "asks" | "running" | "done" | "failed" | "refused" | "denied" | "stopped" | "void" | "lost";
	asked?: string; // time of the approval request
	granted?: string;
	answer?: Event["answer"];
	reason?: string | undefined; // why the request is void
	edited?: string | undefined; // who changed the arguments
	verdict?: Event["verdict"];
	result?: Event["result"];
	output: string; // live
	offset: number; // bytes before output
	children: string[]; // sessions of the sub-agents that serve the call
	modified?: boolean; // files, which can be taken back
	undone?: boolean; // they were taken back
	notes: Event[]; // what hooks and the reviewer did about it
}

// Agent is a sub-agent that this session started.
export interface Agent { id: string; about: NonNullable<Event["sub_agent"]> | undefined; tool: string; stop: string }

// Step is a part of a turn for the timeline.
export interface Step { key: string; turn: number; kind: "request" | "call" | "wait" | "agent"; label: string; from: number; to: number | null; detail: string }

const encoder = new TextEncoder();
export const bytes = (text: string) => (/^[\x00-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length);

// from cuts the first n bytes off a text.
function from(text: string, n: number): string {
	return new TextDecoder().decode(encoder.encode(text).slice(n));
}

export class Talk {
	items: Item[] = [];
	steps: Step[] = [];
	seq = 0; // of the last event
	first = 1; // of the first event that is here
	ready = false; // the recorded events have come
	unknown = false; // the server has no such session, or the user may not see it
	model = "";
	mode = "";
	dir = "";
	usage: Usage = {};
	context = 0; // tokens of the last request and its answer
	turnUsage: Usage = {};
	turn = 0;
	children: string[] = [];
	agents = new Map<string, Agent>(); // by their sessions
	plan: { content: string; status: string }[] = [];
	version = 0;
	private listeners = new Set<() => void>();
	private at = new Map<string, number>(); // call id → index in items
	private live = -1; // index of the answer that is being written
	private textBytes = 0;
	private thoughtBytes = 0;
	private requests = 0;
	private painting = 0;

	constructor(public id: string) {}

	subscribe = (l: () => void) => {
		this.listeners.add(l);
		return () => void this.listeners.delete(l);
	};
	snapshot = () => this.version;

	// changed lets the views draw, once a frame; a hidden page draws when it is shown.
	changed() {
		if (this.painting) return;
		const paint = () => {
			this.painting = 0;
			this.version++;
			for (const l of [...this.listeners]) l();
		};
		this.painting = document.hidden ? window.setTimeout(paint, 250) : requestAnimationFrame(paint);
	}

	private put(item: Item): number {
		this.items = [...this.items, item];
		return this.items.length - 1;
	}

	private set(i: number, item: Item) {
		this.items = this.items.with(i, item);
	}

	private change(id: string | undefined, c: Partial<Call>) {
		const i = id === undefined ? undefined : this.at.get(id);
		if (i !== undefined) this.set(i, { ...(this.items[i] as Call), ...c });
	}

	// missing notes that there is no such session.
	missing() {
		this.unknown = true;
		this.changed();
	}

	// runs takes how the session runs.
	private runs(s: NonNullable<Event["start"]>) {
		this.model = s.model || this.model;
		this.mode = s.mode || this.mode;
		this.dir = s.dir || this.dir;
	}

	// reset begins again: the events from first on follow. start is how the session runs before them.
	reset(first: number, start?: Event["start"]) {
		if (this.items.length > 0 && first <= this.seq + 1) return; // nothing is missing between
		if (start) this.runs(start);
		const fresh = new Talk(this.id);
		Object.assign(this, { items: [], steps: [], seq: first - 1, first, at: new Map(), live: -1, turn: 0, children: [], agents: new Map(), plan: [], usage: fresh.usage, requests: 0 });
		this.changed();
	}

	// older puts earlier events before those that are here: all are read again. What is live at this moment is in no recorded event, and stays.
	older(events: Event[]) {
		const all = new Talk(this.id);
		for (const e of events) all.see(e);
		for (const e of this.kept) all.see(e);
		const now = this.items[this.live] as Said | undefined;
		if (now && all.live < 0) all.live = all.put(now);
		else if (now) all.said({ text: now.text, thought: now.thought, preparing: now.preparing });
		for (const i of this.items) if (i.kind === "call" && i.output && !i.result) all.change(i.id, { output: i.output, offset: i.offset });
		const { items, steps, at, turn, children, agents, plan, requests, context, usage, turnUsage, live } = all as unknown as Record<string, unknown>;
		Object.assign(this, { items, steps, at, turn, children, agents, plan, requests, context, usage, turnUsage, live, first: events[0]?.seq ?? this.first, kept: all.kept });
		this.changed();
	}

	kept: Event[] = [];
	private noticed = new Set<string>(); // the notices since the last request that are not recorded

	see(e: Event) {
		if (e.seq) {
			if (e.seq <= this.seq) return; // seen already
			this.seq = e.seq;
			this.kept.push(e);
		}
		this.apply(e);
		this.changed();
	}

	private base(e: Event): Base {
		return { key: e.seq ? String(e.seq) : `live-${e.turn}`, time: e.time, turn: this.turn };
	}

	private apply(e: Event) {
		const time = Date.parse(e.time);
		switch (e.kind) {
			case "started":
			case "changed":
				if (e.start) {
					if (e.kind === "changed" && this.mode !== e.start.mode) this.put({ ...this.base(e), kind: "note", by: "changed", text: e.start.mode, event: e });
					this.runs(e.start);
				}
				return;
			case "prompt":
				this.turn++;
				this.requests = 0;
				this.turnUsage = {};
				this.put({ ...this.base(e), kind: "person", text: e.text ?? "", by: e.parent ? "model" : e.by, files: partsOf(e).filter((p) => p.kind !== "text") });
				return;
			case "hint":
				this.put({ ...this.base(e), kind: "person", text: e.text ?? "", hint: true, child: e.child });
				return;
			case "request":
				this.requests++;
				this.noticed.clear();
				this.steps = [...this.steps, { key: `r${e.seq}`, turn: this.turn, kind: "request", label: String(this.requests), from: time, to: null, detail: e.request?.model ?? "" }];
				this.endLive();
				this.live = this.put({ ...this.base(e), kind: "said", text: "", thought: "", model: e.request?.model ?? "", ns: 0, live: true, preparing: [] });
				this.textBytes = this.thoughtBytes = 0;
				return;
			case "restarted":
				this.said({ text: "", thought: "", preparing: [] });
				this.textBytes = this.thoughtBytes = 0;
				this.notice(e);
				return;
			case "delta":
			case "thought":
				this.piece(e);
				return;
			case "preparing":
				if (this.live >= 0) this.said({ preparing: [...(this.items[this.live] as Said).preparing, e.call?.name ?? ""] });
				return;
			case "response":
				this.response(e);
				return;
			case "called":
				this.called(e);
				return;
			case "approval_requested":
				this.change(e.call?.id, { state: "asks", asked: e.time, verdict: e.verdict ?? undefined });
				if (!this.steps.some((s) => s.kind === "wait" && s.detail === e.call?.id && s.to === null)) // else it waits on after a restart
					this.steps = [...this.steps, { key: `w${e.seq}`, turn: this.turn, kind: "wait", label: this.label(e), from: time, to: null, detail: e.call?.id ?? "" }];
				return;
			case "approval_void":
				this.change(e.call?.id, { state: "void", reason: e.reason, ...(e.by ? { edited: e.by } : {}) });
				this.endStep("wait", e.call?.id, time);
				return;
			case "granted":
				this.change(e.call?.id, { state: "running", granted: e.time, ...(e.answer ? { answer: e.answer } : {}), ...(e.verdict ? { verdict: e.verdict } : {}) });
				this.endStep("wait", e.call?.id, time);
				this.steps = [...this.steps, { key: `c${e.seq}`, turn: this.turn, kind: "call", label: this.label(e), from: time, to: null, detail: e.call?.id ?? "" }];
				return;
			case "refused":
				this.change(e.call?.id, { state: "refused", answer: e.answer });
				this.endStep("wait", e.call?.id, time);
				return;
			case "output":
				this.output(e);
				return;
			case "replied":
				this.replied(e, time);
				return;
			case "sub_agent_started":
				this.agentStarted(e, time);
				return;
			case "sub_agent_stopped": {
				const a = this.agents.get(e.child ?? "");
				if (a) this.agents = new Map(this.agents).set(a.id, { ...a, stop: e.stop ?? "done" });
				this.steps = this.steps.map((s) => (s.detail === e.child && s.to === null ? { ...s, to: time } : s));
				return;
			}
			case "rewound": {
				// The conversation goes back to before the message of this number.
				const before = e.at ?? 0;
				const gone = this.items.filter((i) => Number(i.key) >= before && i.kind === "person" && !i.hint).length;
				this.items = this.items.filter((i) => Number(i.key) < before);
				this.at = new Map(this.items.flatMap((i, n) => (i.kind === "call" ? [[i.id, n] as const] : [])));
				this.turn = this.items.filter((i) => i.kind === "person" && !i.hint).length;
				this.steps = this.steps.filter((x) => x.turn <= this.turn);
				this.live = -1;
				this.turnUsage = {};
				this.context = 0;
				const usage = this.usage; // of all, also of what is gone
				for (const old of this.kept) {
					if ((old.seq ?? 0) >= before) break;
					if (old.kind === "prompt") this.turnUsage = {};
					if (old.usage && ["response", "hook", "reviewed"].includes(old.kind)) this.spent(old.usage);
					if (old.kind === "response") this.context = (old.usage?.input ?? 0) + (old.usage?.output ?? 0);
				}
				this.usage = usage;
				this.put({ ...this.base(e), kind: "note", by: "rewound", text: String(gone), event: e });
				return;
			}
			case "hook":
			case "reviewed":
				if (e.usage) this.spent(e.usage);
				if (this.about(e)) return;
				this.put({ ...this.base(e), kind: "note", by: e.kind, text: e.text ?? "", event: e });
				return;
			case "network":
			case "notice":
				this.notice(e);
				return;
			case "damaged":
			case "tools_offered":
			case "compacted":
				this.context = e.compaction?.after ?? this.context;
				this.put({ ...this.base(e), kind: "note", by: e.kind, text: e.text ?? "", event: e });
				return;
			case "files_modified":
				if (!e.child && e.files?.changes?.length) this.change(e.call?.id, { modified: true });
				return;
			case "files_undone":
				for (const step of e.files?.steps ?? []) this.change(step, { modified: !!e.files?.redo, undone: !e.files?.redo });
				this.put({ ...this.base(e), kind: "note", by: e.kind, text: e.text ?? "", event: e });
				return;
			case "forked": // what the calls above changed is undone in their own session
				this.items = this.items.map((i) => (i.kind === "call" && i.modified ? { ...i, modified: false } : i));
				this.put({ ...this.base(e), kind: "note", by: e.kind, text: e.text ?? "", event: e });
				return;
			case "imported":
			case "audit":
				this.put({ ...this.base(e), kind: "note", by: e.kind, text: e.text ?? "", event: e });
				return;
			case "stopped":
				this.endLive();
				if (e.usage) this.usage = e.usage;
				if (e.stop !== "done") this.put({ ...this.base(e), kind: "end", stop: e.stop ?? "", text: e.text ?? "" });
				this.steps = this.steps.map((s) => (s.to === null && !(s.kind === "wait" && e.stop === "waiting") ? { ...s, to: time } : s));
				this.items = this.items.map((i) => (i.kind === "call" && i.state === "running" ? { ...i, state: "lost" as const } : i));
				return;
		}
	}

	// notice comes before the answer, as in the model's trying again.
	private notice(e: Event) {
		const key = e.seq ? "" : noticeKey(e);
		if (this.noticed.has(key)) return; // a snapshot has it once more
		if (key) this.noticed.add(key);
		if (this.live >= 0 && !(this.items[this.live] as Said).text) this.endLive();
		this.put({ ...this.base(e), ...(key ? { key } : {}), kind: "note", by: e.kind as Note["by"], text: e.text ?? "", event: e });
	}

	// agentStarted shows a sub-agent at its call. One that works in the background, or beside others, has a time of its own.
	private agentStarted(e: Event, time: number) {
		const id = e.child ?? "";
		const a: Agent = { id, about: e.sub_agent, tool: e.call?.name ?? "", stop: "" };
		this.agents = new Map(this.agents).set(id, a);
		if (!this.children.includes(id)) this.children = [...this.children, id];
		const c = this.call(e);
		if (c && !c.children.includes(id)) this.change(c.id, { children: [...c.children, id] });
		if (e.sub_agent?.background || e.sub_agent?.item) {
			this.steps = [...this.steps, { key: `a${e.seq}`, turn: this.turn, kind: "agent", label: agentName(a), from: time, to: null, detail: id }];
		} else this.steps = this.steps.map((s) => (s.kind === "call" && s.detail === e.call?.id ? { ...s, kind: "agent", label: agentName(a) } : s));
	}

	private call(e: Event): Call | undefined {
		const i = this.at.get(e.call?.id ?? "");
		return i === undefined ? undefined : (this.items[i] as Call);
	}

	// about adds an event to the call that it is about, and reports whether there is one.
	private about(e: Event): boolean {
		const c = this.call(e);
		if (c) this.change(c.id, { notes: [...c.notes, e] });
		return !!c;
	}

	private spent(u: Usage) {
		for (const key of ["input", "output", "cache_read", "cost"] as const) {
			this.turnUsage = { ...this.turnUsage, [key]: (this.turnUsage[key] ?? 0) + (u[key] ?? 0) };
			this.usage = { ...this.usage, [key]: (this.usage[key] ?? 0) + (u[key] ?? 0) };
		}
	}

	private label(e: Event): string {
		const c = this.call(e);
		return c ? title(c) : (e.call?.name ?? "");
	}

	private endStep(kind: Step["kind"], call: string | undefined, time: number) {
		const i = this.steps.findLastIndex((s) => s.to === null && s.detail === call && (s.kind === kind || (kind === "call" && s.kind === "agent")));
		if (i >= 0) this.steps = this.steps.with(i, { ...this.steps[i]!, to: time });
	}

	private said(c: Partial<Said>) {
		if (this.live >= 0) this.set(this.live, { ...(this.items[this.live] as Said), ...c });
	}

	private endLive() {
		if (this.live < 0) return;
		const i = this.items[this.live] as Said;
		if (!i.text && !i.thought) {
			const gone = this.live;
			this.items = this.items.filter((_, n) => n !== gone);
			for (const [id, n] of this.at) if (n > gone) this.at.set(id, n - 1);
		} else this.set(this.live, { ...i, live: false });
		this.live = -1;
	}

	private piece(e: Event) {
		if (this.live < 0) this.live = this.put({ ...this.base(e), kind: "said", text: "", thought: "", model: this.model, ns: 0, live: true, preparing: [] });
		const have = e.kind === "delta" ? this.textBytes : this.thoughtBytes;
		let text = e.text ?? "";
		const begin = e.offset ?? 0;
		const end = begin + bytes(text);
		if (end <= have) return; // we have it
		if (begin < have) text = from(text, have - begin);
		const i = this.items[this.live] as Said;
		if (e.kind === "delta") {
			this.textBytes = end;
			this.said({ text: i.text + text });
		} else {
			this.thoughtBytes = end;
			this.said({ thought: i.thought + text });
		}
	}

	private response(e: Event) {
		const u = e.usage ?? {};
		this.spent(u);
		this.context = (u.input ?? 0) + (u.output ?? 0);
		const open = this.steps.findLastIndex((s) => s.kind === "request" && s.to === null);
		if (open >= 0) this.steps = this.steps.with(open, { ...this.steps[open]!, to: Date.parse(e.time), detail: `${u.input ?? 0}→${u.output ?? 0}` });
		const parts = partsOf(e).filter((p) => p.kind === "thinking");
		const done: Said = {
			...this.base(e), kind: "said", text: e.text ?? "", thought: parts.map((p) => p.text ?? "").join("\n\n"), model: e.request?.model ?? this.model,
			ns: e.request?.duration_ns ?? 0, live: false, preparing: [],
		};
		if (this.live >= 0) {
			done.key = this.items[this.live]!.key; // the card keeps its element
			this.set(this.live, done);
			if (!done.text && !done.thought) this.endLive();
		} else if (done.text || done.thought) this.put(done);
		this.live = -1;
	}

	private called(e: Event) {
		if (!e.call) return;
		let args: Record<string, unknown> = {};
		const given: unknown = e.call.args;
		if (given && typeof given === "object" && !Array.isArray(given)) args = given as Record<string, unknown>;
		const c: Call = { ...this.base(e), kind: "call", id: e.call.id, session: e.session ?? this.id, name: e.call.name, args, event: e, state: "judged", output: "", offset: 0, children: [], notes: [] };
		const i = this.at.get(c.id);
		const before = i === undefined ? undefined : (this.items[i] as Call);
		if (i === undefined || !before || before.result) return void this.at.set(c.id, this.put(c));
		this.set(i, { ...c, key: before.key, children: before.children, edited: before.edited }); // judged again where the session continues, also one that ran when rein was killed
		this.endStep("call", c.id, Date.parse(e.time));
	}

	private output(e: Event) {
		const i = this.at.get(e.call?.id ?? "");
		if (i === undefined) return;
		const c = this.items[i] as Call;
		if (c.result) return; // it came late
		const have = c.offset + bytes(c.output);
		let text = e.text ?? "";
		const begin = e.offset ?? 0;
		const end = begin + bytes(text);
		if (end <= have && c.output) return;
		if (begin < have) text = from(text, have - begin);
		const joined = begin > have ? text : c.output + text;
		const cut = Math.max(0, joined.length - 200_000);
		this.change(c.id, { output: joined.slice(cut), offset: begin > have ? begin : c.offset + (cut ? bytes(joined.slice(0, cut)) : 0) });
	}

	private replied(e: Event, time: number) {
		const i = this.at.get(e.call?.id ?? "");
		if (i === undefined || !e.result) return;
		const c = this.items[i] as Call;
		const r = e.result;
		const state = c.state === "refused" ? "refused" : e.verdict && e.verdict.decision === "deny" ? "denied" : r.failed && r.kind === "cancelled" ? "stopped" : r.failed ? "failed" : "done";
		this.change(c.id, { state, result: r, ...(e.verdict ? { verdict: e.verdict } : {}) });
		this.endStep("call", c.id, time);
		const d = r.detail as { plan?: { steps: { content: string; status: string }[] } } | undefined;
		if (d?.plan) this.plan = d.plan.steps;
	}

	// liveState puts what the session writes at this moment in place of what is here.
	liveState(answers: { session: string; turn: number; text?: string; thought?: string; preparing?: string[] }[], outputs: { call: string; offset?: number; text: string }[], notices: Event[]) {
		this.ready = true;
		for (const e of notices) if (!this.noticed.has(noticeKey(e))) this.apply(e);
		const a = answers.find((x) => x.session === this.id);
		if (a) {
			if (this.live < 0) this.live = this.put({ key: `live-${a.turn}`, time: new Date().toISOString(), turn: this.turn, kind: "said", text: "", thought: "", model: this.model, ns: 0, live: true, preparing: [] });
			this.textBytes = bytes(a.text ?? "");
			this.thoughtBytes = bytes(a.thought ?? "");
			this.said({ text: a.text ?? "", thought: a.thought ?? "", preparing: a.preparing ?? [] });
		} else this.endLive();
		for (const o of outputs) this.change(o.call, { output: o.text, offset: o.offset ?? 0 });
		this.changed();
	}
}

// partsOf are the parts of the message of an event.
const partsOf = (e: Event) => (e.message as { parts?: Record<string, string>[] } | undefined)?.parts ?? [];

// noticeKey tells notices apart that are not recorded.
const noticeKey = (e: Event): string => `notice-${Date.parse(e.time)} ${e.text ?? ""}`;

// firstLine is the first line of a text that has words, without the marks of a heading.
export function firstLine(text: string): string {
	return (text.split("\n").find((l) => l.trim()) ?? "").replace(/^#+ /, "").trim();
}

// agentName names a sub-agent, with its task in a few words.
export function agentName(a: Agent): string {
	const { agent, name, about } = a.about ?? { agent: a.tool };
	return [agent, name].filter(Boolean).join(" ") + (about ? ": " + about : "");
}

// title is a call in one line: what a machine does.
export function title(c: Pick<Call, "name" | "args" | "event">): string {
	const text = (k: string) => (typeof c.args[k] === "string" ? (c.args[k] as string) : "");
	const command = c.event.intent?.command;
	if (command) return command;
	const asked = c.event.intent?.questions?.list;
	if (asked?.length) return `${c.name} ${firstLine(asked[0]!.question)}`;
	const what = text("path") || text("pattern") || text("url") || text("query") || text("description") || text("write") || text("read") || text("host") || text("command");
	return what ? `${c.name} ${what}` : c.name;
}
