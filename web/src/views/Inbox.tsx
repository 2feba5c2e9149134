import { Bell } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { call, type Answered, type Request } from "../api/client";
import { AskCard, heading, oneLine, type AskHandle, effects, networkVerbs } from "../parts/AskCard";
import { person } from "../parts/CallCard";
import { Failure } from "../parts/Failure";
import { Knot } from "../parts/Knot";
import { became, NotSent } from "../parts/NotSent";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { firstLine } from "../store/talk";
import { answered, changerOf, changers, inbox, loadTrust, loaded, nameOf, trust } from "../store/lists";
import { useDraft } from "../store/drafts";
import { look } from "../store/look";
import { allowNotify, canNotify } from "../store/notify";
import { useNow } from "../store/now";
import { useStore } from "../store/store";
import { clock, reasonOf, since, useWords } from "../words";

const keyOf = (r: Request) => r.session + "/" + r.call;

export function InboxView() {
	const w = useWords();
	const requests = useStore(inbox);
	const done = useStore(answered);
	const ready = useStore(loaded);
	const now = useNow();
	const [, go] = useLocation();
	const [open, setOpen] = useDraft<string | null>("inbox open", () => null); // with what is written for it
	const [selected, setSelected] = useState<Map<string, Request>>(new Map());
	const cards = useRef(new Map<string, AskHandle>());
	const rows = useRef(new Map<string, HTMLElement>());
	const wantsFocus = useRef(false);
	const current = requests.find((r) => keyOf(r) === open) ?? requests[0];

	// The request that is shown whole stays so when another one comes: it never changes under the finger.
	useEffect(() => setOpen(current ? keyOf(current) : null), [current]);
	// A request that is gone is no longer selected.
	useEffect(() => {
		setSelected((all) => new Map([...all].filter(([k, r]) => requests.some((x) => keyOf(x) === k && x.hash === r.hash))));
	}, [requests]);
	// After an answer the focus goes to the next request, never to nothing.
	useEffect(() => {
		if (!wantsFocus.current) return;
		wantsFocus.current = false;
		if (current) cards.current.get(keyOf(current))?.focus();
		else document.getElementById("main")?.focus();
	}, [requests, current]);

	// show shows another request whole, with the focus.
	const show = useCallback((r: Request) => {
		const card = cards.current.get(keyOf(r));
		wantsFocus.current = !card;
		card?.focus();
		setOpen(keyOf(r));
	}, []);
	useEffect(() => {
		const move = (e: Event) => {
			const by = (e as CustomEvent<number>).detail;
			const at = current ? requests.indexOf(current) : -1;
			const next = requests[Math.min(requests.length - 1, Math.max(0, at + by))];
			if (next) show(next);
		};
		window.addEventListener("rein:move", move);
		return () => window.removeEventListener("rein:move", move);
	}, [requests, current, show]);

	const toggle = (r: Request) => setSelected((all) => {
		const next = new Map(all);
		if (!next.delete(keyOf(r))) next.set(keyOf(r), r);
		return next;
	});
	const oldest = requests.at(-1);
	const all = useStore(changers);
	const by = current && changerOf(all, current); // it is what somebody made of another call
	const asksTrust = useStore(trust).some((t) => (t.items ?? []).some((i) => i.state === "new"));
	return (
		<>
			<Head title={w.inbox} sub={requests.length ? `${w.waiting(requests.length)}${oldest && requests.length > 1 ? ` · ${w.oldest(since(oldest.time, now))}` : ""}` : ""} />
			<div className="page inbox">
				{ready && requests.length === 0 && !asksTrust && <div className="empty"><Knot state="done" /><p className="big">{w.inboxEmpty}</p><p className="dim">{w.inboxEmptyMore}</p></div>}
				<NotSent />
				<TrustRows />
				{requests.length > 0 && <NotifyOffer />}
				<p className="away" aria-live="polite">{requests.length ? w.waiting(requests.length) : ""}</p>
				{requests.map((r) => r === current ? (
					<AskCard key={keyOf(r) + " " + r.hash} ref={(h) => void (h ? cards.current.set(keyOf(r), h) : cards.current.delete(keyOf(r)))} request={r} note={by && w.editedBy(person(by, w))} selected={selected.has(keyOf(r))}
						onOpen={() => go("/s/" + r.root)} onAnswering={(yes) => (wantsFocus.current = yes)} onSelect={requests.length > 1 ? () => toggle(r) : undefined} />
				) : (
					<button key={keyOf(r)} type="button" className="askrow" ref={(e) => void (e ? rows.current.set(keyOf(r), e) : rows.current.delete(keyOf(r)))}
						onClick={() => show(r)}>
						<Knot state="waits" /><span className="mono one"><Visible text={oneLine(r)} /></span>
						{selected.has(keyOf(r)) && <span className="tag run">✓</span>}
						{r.high_risk && !r.intent?.questions && <span className="tag high">{w.highRisk}</span>}
						{tagsOf(r, w).map((tag) => <span key={tag} className="tag waits">{tag}</span>)}<span className="mono dim who one"><Visible text={r.task ? `${nameOf(r)} · ${firstLine(r.task)}` : nameOf(r)} /> · {since(r.time, now)}</span>
						{!r.intent?.questions && r.verdict.reason && <span className="dim whyrow"><Visible text={reasonOf(w, r.verdict)} /></span>}
					</button>
				))}
				{selected.size > 0 && <Batch requests={[...selected.values()]} onDone={() => (setSelected(new Map()), (wantsFocus.current = true))} />}
				{done.length > 0 && (
					<section className="answered"><h2>{w.answeredToday}</h2><ul>
						{done.map((d) => (
							<li key={d.request.session + d.request.call + d.time}>
								<Knot state={d.answer?.choice === "approved" ? "done" : d.answer ? "refused" : "quiet"} />
								<span>{became(w, d)}</span>
								<span className="mono one"><Visible text={oneLine(d.request)} /></span>{d.answer?.words && <q><Visible text={d.answer.words} /></q>}<time className="mono dim">{clock(d.time)}</time>
							</li>
						))}
					</ul></section>
				)}
			</div>
		</>
	);
}

// NotifyOffer offers notifications once, when the first request waits. The browser asks for its permission only after the click.
function NotifyOffer() {
	const w = useWords();
	const l = useStore(look);
	if (l.offered || l.notify || !canNotify() || Notification.permission === "denied") return null;
	return (
		<p className="offerrow"><Bell size={16} aria-hidden="true" /><span>{w.notifyOffer}</span>
			<button type="button" className="link" onClick={() => void allowNotify()}>{w.turnOn}</button><button type="button" className="link quiet" onClick={() => look.update((x) => ({ ...x, offered: true }))}>{w.notNow}</button></p>
	);
}

// TrustRows asks about content of folders that nobody trusts or declines yet.
function TrustRows() {
	const w = useWords();
	const all = useStore(trust).map((t) => ({ folder: t.folder, fresh: (t.items ?? []).filter((i) => i.state === "new") })).filter((t) => t.fresh.length);
	useEffect(() => void loadTrust(), []);
	return all.map((t) => (
		<Link key={t.folder} href="/trust" className="askrow trustrow"><Knot state="waits" /><span className="one">{w.trusting.asks(t.fresh.length, t.folder.split("/").pop() ?? t.folder)}</span><span className="mono dim one who">{t.fresh.map((i) => i.path).join(", ")}</span><span className="tag waits">{w.trust}</span></Link>
	));
}

// tagsOf names all that a request would do, what cannot be taken back first.
function tagsOf(r: Request, w: ReturnType<typeof useWords>): string[] {
	if (r.intent?.questions) return [heading(w, r)];
	if (r.intent?.requests_access) return [w.does];
	const verbs = [...effects(r).keys()];
	const all = [verbs.includes("removes") && w.removes, (verbs.some((v) => networkVerbs.includes(v)) || r.intent?.hosts?.length) && w.network,
		(verbs.includes("writes") || r.intent?.writes?.length) && w.writes].filter((tag) => !!tag) as string[];
	return all.length ? all : [verbs.includes("reads") && !verbs.includes("runs") && !r.intent?.command ? w.reads : w.runs];
}

// Batch answers the selected requests, each as it is shown here: a request that comes later is not among them.
function Batch({ requests, onDone }: { requests: Request[]; onDone: () => void }) {
	const w = useWords();
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<unknown>(null);
	async function answer(choice: "approved" | "denied") {
		setBusy(true);
		setProblem(null);
		try {
			const all = await call<Answered[]>("POST", "/inbox", { choice, calls: requests.map((r) => ({ session: r.session, call: r.call, hash: r.hash })) });
			const bad = all.find((a) => a.problem);
			if (bad) throw new Error(bad.problem);
			onDone();
		} catch (e) {
			setProblem(e);
		}
		setBusy(false);
	}
	return (
		<section className="batch" aria-label={w.selected(requests.length)}>
			<h2>{w.selected(requests.length)}</h2>
			{requests.map((r) => <div key={keyOf(r)}><p className="dim"><Visible text={nameOf(r)} /></p><pre className="command" tabIndex={0}><Visible text={oneLine(r)} /></pre></div>)}
			<div className="buttons"><button type="button" className="main" disabled={busy} onClick={() => void answer("approved")}>{w.allowAll(requests.length)}</button><button type="button" className="no" disabled={busy} onClick={() => void answer("denied")}>{w.refuseAll(requests.length)}</button></div>
			<Failure error={problem} />
		</section>
	);
}
