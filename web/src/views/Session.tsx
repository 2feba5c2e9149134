import { Activity, Download, FoldVertical, GitFork, PanelRight, Pencil, Undo2 } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { Link, useLocation, useSearch } from "wouter";
import { base, call, type Changes, type File, type Request, type Session } from "../api/client";
import { AskCard } from "../parts/AskCard";
import { CallCard, Part, person, Row, stepKnot } from "../parts/CallCard";
import { useAction, useData } from "../parts/Data";
import { Composer } from "../parts/Composer";
import { Knot } from "../parts/Knot";
import { EventNote } from "../parts/EventNote";
import { Markdown } from "../parts/Markdown";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Sheet } from "../parts/Sheet";
import { Ticks, Visible } from "../parts/Text";
import { counted, PlanView, usePlan } from "../parts/Undo";
import { keep, kept } from "../store/drafts";
import { eventsBefore, talk as talkOf, watch } from "../store/line";
import { inbox, may, myName, sessions } from "../store/lists";
import { useStore } from "../store/store";
import { agentName, type Agent, type Item, type Note, type Said, type Talk } from "../store/talk";
import { clock, money, number, said, short, stateOf, took, troubleOf, useWords } from "../words";

export function useTalk(id: string): Talk {
	const t = talkOf(id);
	useSyncExternalStore(t.subscribe, t.snapshot);
	return t;
}

export function SessionView({ id }: { id: string }) {
	const w = useWords();
	useEffect(() => watch(id), [id]);
	const t = useTalk(id);
	const s = useStore(sessions).get(id);
	const requests = useStore(inbox).filter((r) => r.root === id);
	const [details, setDetails] = useState(false);
	const shown: Session = s ?? { id, title: "", dir: t.dir, model: t.model, mode: t.mode, state: "idle", started: "", last: "", calls: 0, pending: 0, working: false };
	if (t.unknown && (!s || s.unreadable || s.damaged)) return <NoSession id={id} session={s} />;
	const cost = t.usage.cost ?? 0;
	const model = t.model || shown.model || "";
	const mode = t.mode || shown.mode || "";
	return (
		<>
			<Head title={shown.title || id} sub={[home(shown.dir), short(model), w.modes[mode] ?? mode].filter(Boolean).join(" · ")}>
				{troubleOf(w, shown) && <span className="tag bad">{w.trouble}</span>}
				<span className={"tag state " + shown.state}>{stateOf(w, shown.state)}</span>
				<ContextMeter tokens={t.context} window={shown.window ?? 0} />
				{cost > 0 && <span className="mono">{money(cost)}</span>}
				<span className="wide-only"><Actions session={shown} /></span>
				<button type="button" className="icon narrow-only" aria-label={w.details} title={w.details} aria-haspopup="dialog" onClick={() => setDetails(true)}><PanelRight size={18} /></button>
			</Head>
			<div className="session">
				<div className="talkside">
					<TalkList talk={t} requests={requests} cut={shown.state === "interrupted" || !!shown.unrecorded} />
					<Composer key={id} session={shown} mode={mode} model={model} />
				</div>
				<aside className="side" aria-label={w.details}><Details talk={t} session={shown} /></aside>
				{details && <Sheet title={w.details} onClose={() => setDetails(false)}><div className="buttons"><Actions session={shown} /></div><Details talk={t} session={shown} /></Sheet>}
			</div>
		</>
	);
}

// NoSession says that there is no such session, or none that can be read.
export function NoSession({ id, session: s }: { id: string; session?: Session | undefined }) {
	const w = useWords();
	return <><Head title={s ? w.trouble : w.noSession} /><div className="page"><p className="dim">{s ? <Ticks text={troubleOf(w, s)} /> : w.noSessionMore} <code className="mono">{id}</code></p><p><Link href="/sessions" className="link">{w.sessions}</Link></p></div></>;
}

// Actions are what can be done with a session as a whole.
function Actions({ session: s }: { session: Session }) {
	const w = useWords();
	return (
		<>
			<Link className="icon" href={"/timeline/" + s.id} aria-label={w.timeline} title={w.timeline}><Activity size={15} /></Link>
			{may("operator") && <Rename session={s} />}
			{may("operator") && s.title && <Compact session={s} />}
			<a className="icon" href={`${base}v1/sessions/${s.id}/export`} download aria-label={w.exportSession} title={w.exportSession}><Download size={15} /></a>
		</>
	);
}

// ContextMeter shows how full the window of the model is.
function ContextMeter({ tokens, window: all }: { tokens: number; window: number }) {
	const w = useWords();
	if (!tokens || !all) return null;
	const percent = Math.min(100, Math.round((100 * tokens) / all));
	return (
		<span className={percent >= 80 ? "context full" : "context"} title={w.contextMore(number(tokens), number(all))}>
			<span>{w.context(percent)}</span>
			<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect className="all" width="100" height="6" rx="3" /><rect className="bar" width={percent} height="6" rx="3" /></svg>
		</span>
	);
}

// Compact shortens the conversation for the model, while nothing is at work. It asks first: a model is paid for it.
function Compact({ session: s }: { session: Session }) {
	const w = useWords();
	const [sure, setSure] = useState(false);
	const { busy, problem, run } = useAction();
	const act = () => run(() => call("POST", `/sessions/${s.id}/compact`)).then((ok) => ok && setSure(false));
	return (
		<>
			<button type="button" className="icon" disabled={s.working} aria-label={w.compactNow} title={w.compactNow} onClick={() => setSure(true)}><FoldVertical size={15} /></button>
			{sure && <Sheet title={w.compactNow} onClose={() => setSure(false)}><p>{w.compactHelp}</p><Failure error={problem} /><div className="buttons"><button type="button" className="main" disabled={busy || s.working} onClick={() => void act()}>{w.compactDo}</button><button type="button" className="plain" onClick={() => setSure(false)}>{w.cancel}</button></div></Sheet>}
		</>
	);
}

function Rename({ session: s }: { session: Session }) {
	const w = useWords();
	const [open, setOpen] = useState(false);
	const [name, setName] = useState("");
	const [problem, setProblem] = useState<unknown>(null);
	async function save() {
		try {
			await call("POST", `/sessions/${s.id}`, { name: name.trim() });
			setOpen(false);
		} catch (e) {
			setProblem(e);
		}
	}
	return (
		<>
			<button type="button" className="icon" aria-label={w.rename} title={w.rename} onClick={() => (setName(s.title.length > 100 ? "" : s.title), setOpen(true))}><Pencil size={15} /></button>
			{open && <Sheet title={w.rename} onClose={() => setOpen(false)}><form className="form" onSubmit={(e) => (e.preventDefault(), void save())}><label>{w.nameOf}<input value={name} maxLength={100} autoFocus onChange={(e) => setName(e.target.value)} /></label><Failure error={problem} /><div className="buttons"><button type="submit" className="main">{w.save}</button></div></form></Sheet>}
		</>
	);
}

function home(dir: string): string {
	return dir.replace(/^\/(?:home|Users)\/[^/]+/, "~");
}

function TalkList({ talk: t, requests, cut }: { talk: Talk; requests: Request[]; cut: boolean }) {
	const w = useWords();
	const scroller = useRef<HTMLDivElement>(null);
	const list = useRef<VirtualizerHandle>(null);
	const place = t.id + " place"; // where the reader was, on the way back from another view: the key of an item
	const follow = useRef(!t.items.some((i) => i.key === kept(place))); // what the reader wants, from wheel, touch and keys; never guessed from a distance
	const [behind, setBehind] = useState(false);
	const { busy: loading, problem, run } = useAction();
	const top = useRef(""); // the key of the first item that was drawn

	const toEnd = useCallback(() => {
		const e = scroller.current;
		if (e) e.scrollTop = e.scrollHeight;
	}, []);
	const atEnd = useCallback(() => {
		const e = scroller.current;
		return !e || e.scrollHeight - e.scrollTop - e.clientHeight < 4;
	}, []);
	useLayoutEffect(() => {
		if (follow.current) toEnd();
	});
	useEffect(() => {
		const e = scroller.current;
		const inner = e?.firstElementChild;
		if (!e || !inner) return;
		const o = new ResizeObserver(() => (follow.current ? toEnd() : setBehind(!atEnd())));
		o.observe(inner);
		return () => o.disconnect();
	}, [toEnd, atEnd]);
	const first = t.items[0]?.key ?? "";
	const shifted = top.current !== "" && top.current !== first && t.items.some((i) => i.key === top.current); // earlier items came before it
	useLayoutEffect(() => {
		top.current = first;
	}, [first]);

	const leave = () => {
		follow.current = atEnd();
		setBehind(!follow.current);
	};
	// What a click opens stays in sight, and open when it was out of sight. A button that still asks the server for it is disabled.
	const [opened, setOpened] = useState<ReadonlySet<string>>(new Set()); // keys of items
	const opens = (clicked: Element) => {
		const what = clicked.closest<HTMLElement>("[aria-expanded], summary");
		const key = what?.closest<HTMLElement>("[data-key]")?.dataset.key;
		if (!what || !key) return;
		setOpened((all) => new Set(all).add(key));
		follow.current = false;
		window.setTimeout(() => what.matches(":disabled") || leave(), 300);
	};
	const earlier = () => {
		follow.current = false;
		void run(async () => t.older(await eventsBefore(t)));
	};
	const goTo = (item: number) => {
		follow.current = false;
		setBehind(true);
		list.current?.scrollToIndex(item, { align: "start" });
	};
	useLayoutEffect(() => {
		if (!follow.current) goTo(t.items.findIndex((i) => i.key === kept(place)));
		return () => keep(place, follow.current ? undefined : t.items[list.current?.findItemIndex(list.current.scrollOffset) ?? -1]?.key);
	}, []); // eslint-disable-line
	// What a search has found is shown where it was said: at is the number of its event.
	const at = Number(new URLSearchParams(useSearch()).get("at"));
	const shownAt = useRef(0);
	useEffect(() => {
		if (!at || !t.ready || shownAt.current === at || loading || problem) return;
		follow.current = false;
		if (t.first > at) return void run(async () => t.older(await eventsBefore(t, at)));
		shownAt.current = at;
		goTo(t.items.findLastIndex((i) => Number(i.key) <= at));
	});
	// Keys: j and k go from card to card, the first time to the request that waits; [ and ] from message to message.
	useEffect(() => {
		const move = (e: CustomEventInit<number>) => {
			const cards = [...(scroller.current?.querySelectorAll<HTMLElement>(".ask, .call") ?? [])];
			const at = cards.indexOf(document.activeElement as HTMLElement);
			const next = at >= 0 ? cards[at + (e.detail ?? 1)] : (cards.findLast((c) => c.classList.contains("ask")) ?? cards.at(-1));
			if (next) {
				follow.current = false;
				next.focus();
				requestAnimationFrame(leave); // at the end it follows as before, else it offers the way there
			}
		};
		const turn = (e: CustomEventInit<number>) => {
			const people = t.items.flatMap((i, n) => (i.kind === "person" && !i.hint ? [n] : []));
			const top = list.current?.findItemIndex((list.current?.scrollOffset ?? 0) + 1) ?? 0;
			const to = (e.detail ?? 1) > 0 ? people.find((n) => n > top) : people.findLast((n) => n < top);
			if (to === undefined) return;
			goTo(to);
		};
		window.addEventListener("rein:move", move);
		window.addEventListener("rein:turn", turn);
		return () => (window.removeEventListener("rein:move", move), window.removeEventListener("rein:turn", turn));
	}, [t]);
	const waits = t.items.findIndex((i) => i.kind === "call" && i.state === "asks");
	const stay = t.items.flatMap((i, n) => ((i.kind === "call" && i.state === "asks") || opened.has(i.key) ? [n] : [])); // what is written into them, and what is open
	const byCall = useMemo(() => new Map(requests.map((r) => [r.session + "/" + r.call, r])), [requests]);
	// Requests whose calls have no card here are shown at the end: those of sub-agents, and of a part that is not loaded.
	const asking = new Set(t.items.flatMap((i) => (i.kind === "call" && i.state === "asks" ? [i.session + "/" + i.id] : [])));
	const orphans = requests.filter((r) => !asking.has(r.session + "/" + r.call));
	return (
		<div
			className="talk" ref={scroller} tabIndex={-1}
			onWheel={(e) => (e.deltaY < 0 ? (follow.current = false, setBehind(true)) : requestAnimationFrame(leave))}
			onTouchMove={() => requestAnimationFrame(leave)} onTouchEnd={() => window.setTimeout(leave, 300)}
			onClickCapture={(e) => opens(e.target as Element)}
			onPointerUp={(e) => e.target === e.currentTarget && requestAnimationFrame(leave)} // the scroll bar; a click on a card leaves nothing
			onKeyUp={(e) => ["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"].includes(e.key) && leave()}
		>
			<div className="column" role="log" aria-label={w.sessions} aria-live="off">
				{t.first > 1 ? <div className="earlier"><button type="button" disabled={loading} onClick={earlier}>{w.earlier}</button><Failure error={problem} /></div> : t.ready && <p className="earlier dim">{w.beginning}</p>}
				<Virtualizer ref={list} scrollRef={scroller} shift={shifted} startMargin={52} keepMounted={stay} data={t.items}>
					{(i, at) => <div key={i.key} data-key={i.key}><ItemView item={i} session={t.id} behind={waits >= 0 && at > waits} cut={cut} request={i.kind === "call" ? byCall.get(i.session + "/" + i.id) : undefined} /></div>}
				</Virtualizer>
				{orphans.map((r) => <SubRequest key={r.session + r.call} request={r} soon={r.session === t.id && r.tool !== "elicitation" && t.ready && t.first <= 1} />)}
			</div>
			{behind && <button type="button" className="newest" onClick={() => (follow.current = true, setBehind(false), toEnd())}>{w.newBelow} ↓</button>}
		</div>
	);
}

// SubRequest shows a request without a card of its call. One whose card comes soon is not shown before it: it would be made anew there.
function SubRequest({ request, soon }: { request: Request; soon: boolean }) {
	const [late, setLate] = useState(!soon);
	useEffect(() => {
		const wait = window.setTimeout(() => setLate(true), 1000);
		return () => clearTimeout(wait);
	}, []);
	return late && <Row state="waits"><AskCard key={request.hash} request={request} /></Row>;
}

// MessageMenu goes back to before a message, or forks the session there.
function MessageMenu({ session, seq, text }: { session: string; seq: number; text: string }) {
	const w = useWords();
	const [, go] = useLocation();
	const [sure, setSure] = useState(false);
	const { busy, problem, run } = useAction();
	if (!may("operator") || !seq) return null;
	const fork = () => run(async () => go("/s/" + (await call<Session>("POST", `/sessions/${session}/fork`, { at: seq - 1 })).id));
	return (
		<span className="messagemenu">
			<button type="button" className="icon" title={w.fork} aria-label={w.fork} disabled={busy || seq < 2} onClick={() => void fork()}><GitFork size={14} /></button>
			<button type="button" className="icon" title={w.rewind} aria-label={w.rewind} onClick={() => setSure(true)}><Undo2 size={14} /></button>
			<Failure error={problem} />
			{sure && <Rewind session={session} seq={seq} text={text} onClose={() => setSure(false)} />}
		</span>
	);
}

// WentBack says that the conversation went back, and forks what followed.
function WentBack({ note, session }: { note: Note; session: string | undefined }) {
	const w = useWords();
	const [, go] = useLocation();
	const { busy, problem, run } = useAction();
	const fork = () => run(async () => go("/s/" + (await call<Session>("POST", `/sessions/${session}/fork`, { at: Number(note.key) - 1 })).id));
	return (
		<p className="by note-line"><Visible text={w.wentBack(note.event.by ? person(note.event.by, w) : "", Number(note.text))} />{session && may("operator") && <> · <button type="button" className="link" disabled={busy} onClick={() => void fork()}>{w.forkWhole}</button></>}<Failure error={problem} /></p>
	);
}

// Rewind takes the conversation back to before a message and, as the user chooses, the files too. The words of the message go back to the field.
function Rewind({ session, seq, text, onClose }: { session: string; seq: number; text: string; onClose: () => void }) {
	const w = useWords();
	const { plan, problem, act } = usePlan(session, { message: seq });
	const [files, setFiles] = useState(true);
	const { busy, problem: failed, run } = useAction();
	const working = useStore(sessions).get(session)?.working; // the server refuses it then, and no file may have gone back before
	const many = plan?.files.length ?? 0;
	async function go() {
		if (files && many > 0 && !(await act())) return;
		if (!(await run(() => call("POST", `/sessions/${session}/rewind`, { at: seq })))) return;
		window.dispatchEvent(new CustomEvent("rein:words", { detail: text }));
		onClose();
	}
	return (
		<Sheet title={w.rewind} onClose={onClose} wide={many > 0}>
			<p>{w.rewindHelp}</p>
			{many > 0 && <label className="check"><input type="checkbox" checked={files} onChange={(e) => setFiles(e.target.checked)} />{w.rewindFiles(many)}</label>}
			{plan && files && <PlanView plan={plan} />}
			<Failure error={problem ?? failed} />
			{working && <p className="note">{w.stopFirst}</p>}
			<div className="buttons"><button type="button" className="main" disabled={busy || working || (!plan && !problem)} onClick={() => void go()}>{w.rewind}</button><button type="button" className="plain" onClick={onClose}>{w.cancel}</button></div>
		</Sheet>
	);
}

function ItemView({ item: i, request, session, behind, cut }: { item: Item; request?: Request | undefined; session?: string; behind?: boolean; cut?: boolean | undefined }) {
	const w = useWords();
	switch (i.kind) {
		case "person":
			return <Row state="person"><div className={i.hint ? "person hint" : "person"}><p className="meta">{i.child ? w.agent : i.hint ? "rein" : i.by === "model" ? w.model : i.by ? person(i.by, w) : myName() ? (w.origins.user ?? "user") : w.you} <time dateTime={i.time}>{clock(i.time)}</time>{!i.hint && session && <MessageMenu session={session} seq={Number(i.key)} text={i.text} />}</p><p className="text"><Visible text={i.text} prose /></p>{i.files?.map((p, n) => <Part key={n} part={p} />)}</div></Row>;
		case "said":
			return <SaidView said={i} />;
		case "call":
			return <CallCard call={i} request={request} behind={behind} cut={cut}>{i.children.map((c) => <Child key={c} id={c} parent={session ?? i.session} cut={cut} />)}</CallCard>;
		case "note":
			if (i.by === "rewound") return <Row state="quiet"><WentBack note={i} session={session} /></Row>;
			return <Row state="quiet">{["hook", "reviewed", "tools_offered", "compacted", "files_undone", "forked", "imported", "restarted"].includes(i.by) ? <EventNote event={i.event} /> : <p className={"note-line " + i.by}>{i.by === "changed" ? `${w.mode}: ${w.modes[i.text] ?? i.text}` : <Visible text={said(w, i.text)} />}</p>}</Row>;
		case "end": {
			const text = w.stops[i.stop] ?? i.stop;
			if (!text) return <div />;
			return <Row state={i.stop === "error" ? "refused" : "quiet"}><p className={"end " + i.stop}>{text}{i.stop === "error" && <span className="mono"> <Visible text={said(w, i.text)} /></span>}</p></Row>;
		}
	}
}

function SaidView({ said: s }: { said: Said }) {
	const w = useWords();
	return (
		<div className="row said">
			<div className="rein" />
			<div className="body">
				<p className="meta">{short(s.model)} {s.ns > 0 && <span className="mono">{took(s.ns)}</span>}</p>
				{(s.thought || (s.live && !s.text)) && (
					<details className="thought"><summary>{s.live && !s.text ? w.thinking : w.thought}</summary><div className="text"><Visible text={s.thought} prose /></div></details>
				)}
				{s.text && <Markdown text={s.text} />}
				{s.live && s.preparing.length > 0 && <p className="dim preparing">{w.preparing(s.preparing.at(-1) ?? "")}</p>}
			</div>
		</div>
	);
}

// Child shows what a sub-agent does, folded.
function Child({ id, parent, cut }: { id: string; parent: string; cut?: boolean | undefined }) {
	const t = useTalk(id);
	const a = useTalk(parent).agents.get(id);
	const w = useWords();
	return (
		<details className="child">
			<summary><AgentTag agent={a} /> · {w.calls(t.items.filter((i) => i.kind === "call").length)}</summary>
			<div className="inner">{t.items.map((i) => <ItemView key={i.key} item={i} cut={cut} />)}</div>
		</details>
	);
}

// AgentTag names a sub-agent by its kind and its task, and shows when its parent does not wait for it.
function AgentTag({ agent: a }: { agent: Agent | undefined }) {
	const w = useWords();
	return <><span className="tag sub">{w.agent}</span> {a && <Visible text={agentName(a)} />} {a?.about?.background && !a.stop && <span className="tag run">{w.inBackground}</span>}</>;
}

function Details({ talk: t, session: s }: { talk: Talk; session: Session }) {
	const w = useWords();
	const u = t.turnUsage;
	const window = s.window ?? 0;
	const files = useChanged(t, s);
	return (
		<div className="details">
			{t.plan.length > 0 && <section><h2>{w.toDo}</h2><ul className="plan">{t.plan.map((s, i) => <li key={i} className={s.status}><Knot state={stepKnot(s.status)} /><Visible text={s.content} /></li>)}</ul></section>}
			{files.length > 0 && <section><h2>{w.files}</h2><ul className="filelist">{files.map((f) => <li key={f.path} className="mono"><span title={f.path}><Visible text={f.path} name /></span><span>{counted(f) ? `+${f.added} −${f.removed}` : w.filesView.what[f.what]}</span></li>)}</ul></section>}
			{(s.allowed ?? []).length > 0 && <Allowed session={s} />}
			{(t.turn > 0 || t.first === 1) && <section>
				<h2>{w.thisTurn}</h2>
				<dl className="numbers">
					{t.context > 0 && window > 0 && <div><dt>{w.contextName}</dt><dd title={w.contextMore(number(t.context), number(window))}>{Math.round((100 * t.context) / window)} %</dd></div>}
					<div><dt>{w.input}</dt><dd>{number(u.input ?? 0)}</dd></div>
					{(u.cache_read ?? 0) > 0 && <div><dt>{w.cached}</dt><dd>{number(u.cache_read ?? 0)}</dd></div>}
					<div><dt>{w.output}</dt><dd>{number(u.output ?? 0)}</dd></div>
					{(u.cost ?? 0) > 0 && <div><dt>{w.cost}</dt><dd>{money(u.cost ?? 0)}</dd></div>}
				</dl>
			</section>}
			{t.children.length > 0 && <section><h2>{w.agents}</h2><ul className="plan">{t.children.map((c) => <AgentLine key={c} id={c} agent={t.agents.get(c)} />)}</ul></section>}
		</div>
	);
}

// Allowed lists what a person allowed for the session, to be taken back.
function Allowed({ session: s }: { session: Session }) {
	const w = useWords();
	const { busy, problem, run } = useAction();
	return (
		<section><h2>{w.allowedHere}</h2><Failure error={problem} /><ul className="filelist">{(s.allowed ?? []).map((rule) => (
			<li key={rule} className="mono"><span title={rule}><Visible text={rule} /></span>{may("operator") && <button type="button" className="link" disabled={busy} aria-label={`${w.remove}: ${rule}`} onClick={() => void run(() => call("POST", `/sessions/${s.id}`, { disallow: rule }))}>{w.remove}</button>}</li>))}</ul></section>
	);
}

// useChanged asks what the session changed in files: after each call that has ended, at most once in a while, and after each turn.
function useChanged(t: Talk, s: Session): File[] {
	const { data, reload } = useData<Changes>(t.ready && !t.unknown ? `/sessions/${t.id}/changes` : "");
	const news = `${s.state} ${t.items.reduce((n, i) => n + (i.kind === "call" && i.result ? 1 : i.kind === "note" && i.by === "files_undone" ? 1 : 0), 0)}`;
	const seen = useRef(news);
	useEffect(() => {
		if (news === seen.current) return;
		const wait = window.setTimeout(() => (seen.current = news, reload()), 700);
		return () => clearTimeout(wait);
	}, [news, reload]);
	return data?.files ?? [];
}

function AgentLine({ id, agent: a }: { id: string; agent: Agent | undefined }) {
	const t = useTalk(id);
	const w = useWords();
	const busy = t.items.some((i) => i.kind === "call" && (i.state === "running" || i.state === "asks"));
	const state = a?.stop ? (a.stop === "done" ? "done" : "refused") : busy || a?.about?.background ? "running" : "done";
	return <li><Knot state={state} /><span title={id}>{a ? <Visible text={agentName(a)} /> : w.agent} {a?.about?.background && !a.stop && <span className="tag run">{w.inBackground}</span>}</span></li>;
}
