import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { call, type Found, type Model, type Session } from "../api/client";
import { Empty } from "../parts/Card";
import { useAction, useDir } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Knot, knotOf } from "../parts/Knot";
import { Sheet } from "../parts/Sheet";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { forget, useDraft } from "../store/drafts";
import { addSession, byTime, loaded, loadOlder, may, older, placeOf, sessions, workspaces } from "../store/lists";
import { random } from "../store/id";
import { useNow } from "../store/now";
import { useStore } from "../store/store";
import { ago, money, short, stateOf, troubleOf, useWords } from "../words";

export function SessionsView() {
	const w = useWords();
	const all = byTime(useStore(sessions));
	const ready = useStore(loaded);
	const now = useNow();
	const [search, setSearch] = useDraft("sessions search", () => ""); // also after the way back from what was found
	const [creating, setCreating] = useState(false);
	useStore(workspaces);
	const [state, setState] = useState("");
	const more = useStore(older);
	const { busy, problem, run } = useAction();
	const states = ["waiting", "stuck", "working", "idle", "failed", "interrupted", "cancelled"].map((k) => [k, all.filter((s) => s.state === k).length] as const).filter(([, n]) => n > 0);
	const shown = all.filter((s) => (!state || s.state === state) && search.toLowerCase().split(/\s+/).every((x) => `${s.title} ${s.id} ${s.state} ${s.dir}`.toLowerCase().includes(x)));
	const [found, setFound] = useState<Found[]>([]);
	useEffect(() => {
		if (search.trim().length < 2) return setFound([]);
		const stop = new AbortController();
		const wait = window.setTimeout(() => void call<Found[]>("GET", `/search?q=${encodeURIComponent(search.trim().slice(0, 200))}`, undefined, stop.signal).then(setFound, () => undefined), 200);
		return () => (clearTimeout(wait), stop.abort());
	}, [search]);
	useEffect(() => {
		const open = () => setCreating(true);
		window.addEventListener("rein:new", open);
		return () => window.removeEventListener("rein:new", open);
	}, []);
	return (
		<>
			<Head title={w.sessions} sub={all.length ? all.length + (more.size > 0 ? "+" : "") : ""}>
				{may("operator") && <button type="button" className="main" onClick={() => setCreating(true)}>{w.newSession}</button>}
			</Head>
			<div className="page">
				{all.length > 0 && (
					<div className="choose">
						<input id="search" type="search" className="search" value={search} placeholder={w.searchSessions} aria-label={w.searchSessions} onChange={(e) => setSearch(e.target.value)} />
						{states.length > 1 && <div className="segments small" role="group" aria-label={w.filter}>{[["", all.length] as const, ...states].map(([k, n]) => <button key={k} type="button" className={k === state ? "on" : ""} aria-pressed={k === state} onClick={() => setState(k)}>{k ? stateOf(w, k) : w.all} <span className="mono dim">{n}</span></button>)}</div>}
					</div>
				)}
				{!ready && <p className="note">{w.loading}</p>}
				{ready && all.length === 0 && <Empty title={w.noSessions} more={w.noSessionsMore}>{may("operator") && <button type="button" className="main" onClick={() => setCreating(true)}>{w.newSession}</button>}</Empty>}
				{all.length > 0 && shown.length === 0 && found.length === 0 && <Empty title={w.noHits}><button type="button" className="link" onClick={() => (setSearch(""), setState(""))}>{w.showAll}</button></Empty>}
				<ul className="sessionlist">
					{shown.map((s) => (
						<li key={s.id}><Link href={"/s/" + s.id}>
							<Knot state={knotOf(s)} /><span className="title one"><Visible text={s.title || s.id} /></span>
							<span className="meta mono dim one">{[w.calls(s.calls), s.model ? short(s.model) : "", placeOf(s.dir)].filter(Boolean).join(" · ")}</span>
							{troubleOf(w, s) && <span className="tag bad">{w.trouble}</span>}<span className={"tag state " + s.state}>{stateOf(w, s.state)}</span><span className="mono dim cost">{s.usage?.cost ? money(s.usage.cost) : ""}</span>
							<time className="mono dim" dateTime={s.last}>{ago(s.last, now)}</time>
						</Link></li>
					))}
				</ul>
				{more.size > 0 && !state && <p className="earlier"><button type="button" disabled={busy} onClick={() => void run(loadOlder)}>{busy ? w.loading : w.olderSessions}</button></p>}
				<Failure error={problem} />
				{found.length > 0 && (
					<section className="found-in"><h2>{w.hits}</h2><ul className="sessionlist">
						{found.map((f) => <li key={f.session.id}><Link href={`/s/${f.session.id}${f.matches?.[0]?.seq ? "?at=" + f.matches[0].seq : ""}`}><Knot state={knotOf(f.session)} /><span className="title one"><Visible text={f.session.title || f.session.id} /></span>{(f.matches ?? []).slice(0, 3).map((m, i) => <span key={i} className="meta dim one">{w.foundIn[m.kind] ?? m.kind}: <Marked text={m.text} hits={m.hits} /></span>)}<time className="mono dim">{ago(f.session.last, now)}</time></Link></li>)}
					</ul></section>
				)}
			</div>
			{creating && <NewSession onClose={() => setCreating(false)} />}
		</>
	);
}

// Marked shows a text with the words that were found. The places are in bytes.
function Marked({ text, hits }: { text: string; hits: (number[] | null)[] | null }) {
	const bytes = new TextEncoder().encode(text);
	const part = (a: number, b?: number) => new TextDecoder().decode(bytes.slice(a, b));
	const out = [];
	let last = 0;
	for (const [a = 0, b = 0] of (hits ?? []).map((h) => h ?? [])) {
		out.push(<Visible key={last} text={part(last, a)} />, <mark key={"m" + a}><Visible text={part(a, b)} /></mark>);
		last = b;
	}
	return <>{out}<Visible text={part(last)} /></>;
}

// newID names a session as the server does.
function newID(): string {
	const time = new Date().toISOString().replace(/[-:]/g, "").slice(0, 15).replace("T", "-");
	return `${time}-${random(5)}`;
}

function NewSession({ onClose }: { onClose: () => void }) {
	const w = useWords();
	const all = useStore(workspaces);
	const [, go] = useLocation();
	const [dir, setDir] = useState(useDir());
	const at = all.find((x) => x.dir === dir);
	const [text, setText] = useDraft("new session", () => "");
	const [model, setModel] = useState("");
	const [models, setModels] = useState<Model[] | null>(null);
	const [mode, setMode] = useState("");
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<unknown>(null);
	const field = useRef<HTMLTextAreaElement>(null);
	useEffect(() => field.current?.focus(), []);
	const own = useRef({ what: "", id: "" });
	async function start() {
		if (!text.trim()) return;
		setBusy(true);
		setProblem(null);
		const what = JSON.stringify([dir, text, model, mode]);
		if (own.current.what !== what) own.current = { what, id: newID() }; // the same request again begins no second session
		try {
			const s = await call<Session>("POST", "/sessions", { id: own.current.id, dir, text, ...(model ? { model } : {}), ...(mode ? { mode } : {}) });
			addSession(s);
			forget("new session");
			go("/s/" + s.id);
		} catch (e) {
			setProblem(e);
			setBusy(false);
		}
	}
	return (
		<Sheet title={w.newSession} onClose={onClose} wide>
			<form className="form" onSubmit={(e) => (e.preventDefault(), void start())}>
				<label>{w.firstMessage}<textarea ref={field} rows={4} value={text} onChange={(e) => setText(e.target.value)} onKeyDown={(e) => e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.nativeEvent.isComposing && (e.preventDefault(), void start())} /></label>
				{all.length > 1 && <label>{w.workspace}<select value={dir} onChange={(e) => setDir(e.target.value)}>{all.map((x) => <option key={x.dir} value={x.dir}>{x.dir}</option>)}</select></label>}
				<div className="two">
					<label>{w.model}<input value={model} list="models" placeholder={at?.model || w.modelDefault} spellCheck={false} onFocus={() => models ?? void call<Model[]>("GET", `/models?dir=${encodeURIComponent(dir)}`).then(setModels, () => setModels([]))} onChange={(e) => setModel(e.target.value)} /><datalist id="models">{models?.map((m) => <option key={m.ref} value={m.ref} />)}</datalist></label>
					<label>{w.mode}<select value={mode} onChange={(e) => setMode(e.target.value)}><option value="">{w.modes[at?.mode ?? ""] ?? at?.mode}</option>{Object.entries(w.modes).filter(([k]) => k !== at?.mode).map(([k, v]) => <option key={k} value={k}>{v}</option>)}</select></label>
				</div>
				<Failure error={problem} />
				<div className="buttons"><button type="submit" className="main" disabled={busy || !text.trim()}>{w.start}</button><button type="button" className="plain" onClick={onClose}>{w.cancel}</button></div>
			</form>
		</Sheet>
	);
}
