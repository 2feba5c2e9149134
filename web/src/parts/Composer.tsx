import { ChevronDown, Paperclip, X } from "lucide-react";
import { useEffect, useRef, useState, type ClipboardEvent } from "react";
import { call, Problem, type Queued, type Attachment, type Model, type Session } from "../api/client";
import { messages, type Draft } from "../store/drafts";
import { random } from "../store/id";
import { may, myName } from "../store/lists";
import { useStore } from "../store/store";
import { firstLine } from "../store/talk";
import { keysHere, number, problemText, said, short, size, troubleOf, useWords } from "../words";
import { Choose } from "./Choose";
import { Failure } from "./Failure";
import { NotSent } from "./NotSent";
import { Offers, useOffers } from "./Offers";
import { Ticks, Visible } from "./Text";

const empty: Draft = { text: "", files: [], uploads: [], notTaken: [] };
const draft = (id: string): Draft => messages.get().get(id) ?? empty;
const redraft = (id: string, to: (d: Draft) => Partial<Draft>) => messages.update((all) => new Map(all).set(id, { ...draft(id), ...to(draft(id)) }));

const mine = (q: Queued) => (q.by ?? "") === myName();

const longest = 500_000; // characters of a message
const most = 10; // files of a message
let sending = 0; // files that are on their way: one that is not taken is none of the most
const longestLine = 300; // characters of a message that waits
const longestName = 200; // characters of the name of a file

// Composer writes messages to a session. A message has an id, so that it is sent once however often it is tried.
export function Composer({ session: s, mode, model }: { session: Session; mode: string; model: string }) {
	const w = useWords();
	const { text, files, uploads, notTaken } = useStore(messages).get(s.id) ?? empty;
	const setText = (to: (now: string) => string) => redraft(s.id, (d) => ({ text: to(d.text) }));
	const [busy, setBusy] = useState(false);
	const [stopping, setStopping] = useState(false);
	const [problem, setProblem] = useState<unknown>(null);
	const picker = useRef<HTMLInputElement>(null);
	const field = useRef<HTMLTextAreaElement>(null);
	const composed = useRef(0);
	const [cursor, setCursor] = useState(0);
	const put = (next: string, at: number) => {
		setText(() => next);
		setCursor(at);
		requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
	};
	// refocus gives the field the focus after an answer of the server, unless the user does something else meanwhile.
	const refocus = () => {
		const at = document.activeElement;
		if (!at || at === document.body || at.closest(".composer")) field.current?.focus();
	};
	const offered = useOffers(s.id, text, cursor, put);
	const working = s.working || s.state === "waiting"; // one that waits since before a restart is not at work, and can be stopped
	useEffect(() => {
		if (!working) setStopping(false);
	}, [working]);
	useEffect(() => {
		const f = field.current;
		if (f) {
			f.style.height = "auto";
			f.style.height = Math.min(f.scrollHeight, window.innerHeight * 0.4) + "px";
		}
	}, [text]);

	// send sends what is in the field. While a message is under way it is sent after that, unless more is written.
	const next = useRef<boolean | null>(null);
	async function send(steer: boolean) {
		if (busy) return void (next.current = steer);
		if (!text.trim() || uploads.length > 0) return;
		setBusy(true);
		setProblem(null);
		const attachments = files.map((f) => f.id);
		const what = JSON.stringify([text, attachments]);
		const known = draft(s.id).sent;
		const id = known?.what === what ? known.id : random();
		redraft(s.id, () => ({ sent: { what, id }, notTaken: [] }));
		try {
			await call("POST", `/sessions/${s.id}/messages`, { id, text, ...(steer ? { steer } : {}), ...(files.length > 0 ? { attachments } : {}) });
			redraft(s.id, (d) => ({ sent: undefined, text: d.text.startsWith(text) ? d.text.slice(text.length).trimStart() : d.text, files: d.files.filter((f) => !attachments.includes(f.id)) })); // what was written meanwhile stays
		} catch (e) {
			next.current = null;
			setProblem(e);
		}
		setBusy(false);
		refocus();
	}
	useEffect(() => {
		const steer = next.current;
		if (busy || steer === null) return;
		next.current = null;
		void send(steer);
	}, [busy]); // eslint-disable-line

	// attach uploads files, so that one that does not fit is reported before the message is sent. The others come nevertheless.
	async function attach(list: Iterable<File>) {
		const all = [...list], over: string[] = [];
		redraft(s.id, (d) => ({ uploads: [...d.uploads, ...all.map((f) => f.name)], notTaken: d.uploads.length > 0 ? d.notTaken : [] }));
		for (const f of all) {
			let a: Attachment | undefined, why: string[] = [];
			try {
				if (!f.size) throw new Error(w.emptyAttachment(f.name));
				if (draft(s.id).files.length + sending >= most) {
					over.push(f.name);
					continue;
				}
				sending++;
				a = await base64(f).then((data) => call<Attachment>("POST", `/sessions/${s.id}/attachments`, { name: [...f.name].slice(-longestName).join("") || "file", data })).finally(() => sending--);
			} catch (e) {
				why = [e instanceof Problem ? `${f.name}: ${problemText(w, e) ?? said(w, e.message)}` : (e as Error).message];
			} finally {
				redraft(s.id, (d) => ({ uploads: d.uploads.toSpliced(d.uploads.indexOf(f.name), 1), files: a ? [...d.files, a] : d.files, notTaken: [...d.notTaken, ...why] }));
			}
		}
		if (over.length > 0) redraft(s.id, (d) => ({ notTaken: [...d.notTaken, w.tooManyFiles(most, over.join(", "))] }));
		refocus();
	}

	// paste takes files, and refuses a text that the browser would cut without a word.
	function paste(e: ClipboardEvent<HTMLTextAreaElement>) {
		const files = [...e.clipboardData.files];
		const f = e.currentTarget;
		const length = f.value.length - (f.selectionEnd - f.selectionStart) + e.clipboardData.getData("text").length;
		if (files.length === 0 && length <= longest) return;
		e.preventDefault();
		if (files.length > 0) void attach(files);
		else setProblem(new Error(w.tooLong(number(longest))));
	}

	// Files that are dropped anywhere on the page go with the message: the browser would leave the page and open them.
	const taking = useRef(attach);
	taking.current = attach;
	useEffect(() => {
		const drop = (e: CustomEventInit<File[]>) => void taking.current(e.detail ?? []);
		window.addEventListener("rein:files", drop);
		return () => window.removeEventListener("rein:files", drop);
	}, []);

	async function act(what: "cancel" | "resume") {
		setProblem(null);
		if (what === "cancel") setStopping(true);
		const dropped = what === "cancel" ? (s.queued ?? []).filter((q) => !q.begun && mine(q)) : []; // to stop drops what waits: it is in the field again
		try {
			await call("POST", `/sessions/${s.id}/${what}`);
			giveBack(dropped);
		} catch (e) {
			setProblem(e);
			setStopping(false);
		}
	}

	// giveBack puts messages that waited before what is in the field, with their files, which the server has still.
	function giveBack(all: Queued[]) {
		if (all.length === 0) return;
		redraft(s.id, (d) => ({ text: [...all.map((q) => q.text), d.text].filter(Boolean).join("\n"), files: [...all.flatMap((q) => q.attached ?? []), ...d.files] }));
	}

	useEffect(() => {
		const words = (e: CustomEventInit<string>) => setText((now) => [e.detail ?? "", now].filter(Boolean).join("\n"));
		window.addEventListener("rein:words", words);
		return () => window.removeEventListener("rein:words", words);
	}, [s.id]);

	// takeBack removes a message that waits; to edit it, it goes before what is in the field.
	async function takeBack(id: string, edit: boolean) {
		setProblem(null);
		try {
			const q = await call<Queued>("DELETE", `/sessions/${s.id}/messages/${id}`);
			if (!edit) return;
			giveBack([q]);
			refocus();
		} catch (e) {
			setProblem(e);
		}
	}

	async function change(to: { mode: string } | { model: string }) {
		setProblem(null);
		try {
			await call("POST", `/sessions/${s.id}`, to);
		} catch (e) {
			setProblem(e);
		}
	}

	if (!may("operator")) return <div className="composer readonly"><NotSent session={s.id} /><p className="note">{w.needsRole(w.roles.operator ?? "")}</p></div>;
	return (
		<div className="composer">
			<div className="waiting">
				<NotSent session={s.id} />
				{[...(s.unsent ?? []), ...(s.queued ?? [])].map((q) => <div key={q.id} className="queued"><span className="tag quiet" title={q.steer ? w.steerHint : undefined}>{s.unsent?.includes(q) ? w.unsent : q.steer ? w.steering : q.begun ? w.begun : w.queued}</span> {!mine(q) && <span className="dim">{q.by || w.owner}:</span>} <Written text={q.text} /> {q.attached?.map((f) => <span key={f.id} className="tag mono one"><Visible text={f.name} /></span>)}
					{q.id && !q.begun && <button type="button" className="link" onClick={() => void takeBack(q.id, true)}>{w.editQueued}</button>} {q.id && !q.begun && <button type="button" className="link" aria-label={`${w.remove}: ${q.text.slice(0, 40)}`} onClick={() => void takeBack(q.id, false)}>{w.remove}</button>}</div>)}
			</div>
			{troubleOf(w, s) && <p className="queued bad"><Ticks text={troubleOf(w, s)} /></p>}
			{(s.state === "interrupted" || s.unrecorded || s.trouble?.kind === "halted") && <p className="queued">{s.state === "interrupted" && w.interrupted} <button type="button" onClick={() => void act("resume")}>{w.goOn}</button></p>}
			<Failure error={problem} />
			<Failure error={notTaken.length > 0 && new Error(notTaken.join("\n"))} />
			{files.length + uploads.length > 0 && <ul className="attached" aria-label={w.attached(files.length)}>{files.map((f) => <li key={f.id} className="tag"><span className="mono one"><Visible text={f.name} /></span> {size(f.size)} <button type="button" className="icon" aria-label={`${w.remove} ${f.name}`} onClick={() => redraft(s.id, (d) => ({ files: d.files.filter((x) => x !== f) }))}><X size={12} /></button></li>)}{uploads.map((name, n) => <li key={"upload" + n} className="tag"><span className="mono one"><Visible text={name} /></span> {w.loading}</li>)}</ul>}
			<form onSubmit={(e) => (e.preventDefault(), void send(false))}>
				<Offers {...offered} kind={w.offers} />
				<textarea
					ref={field} id="composer" rows={1} value={text} placeholder={w.write + " " + w.writeNames} aria-label={w.write} maxLength={longest}
					aria-autocomplete="list" aria-controls={offered.offers.length > 0 ? "offers" : undefined} aria-activedescendant={offered.offers.length > 0 ? "offer" + offered.at : undefined}
					onChange={(e) => ((next.current = null), setText(() => e.target.value), setCursor(e.target.selectionStart))} onSelect={(e) => setCursor(e.currentTarget.selectionStart)} onBlur={() => setCursor(0)} onPaste={paste} onCompositionEnd={() => (composed.current = performance.now())}
					onKeyDown={(e) => {
						if (offered.press(e)) return;
						if (e.key === "Escape") e.currentTarget.blur();
						// The Enter that ends the composition of an input method must not send.
						if (e.key !== "Enter" || e.nativeEvent.isComposing || e.keyCode === 229 || performance.now() - composed.current < 50) return;
						if (e.ctrlKey || e.metaKey) {
							e.preventDefault();
							void send(false);
						}
					}}
				/>
				<div className="foot">
					<input ref={picker} type="file" multiple hidden accept="image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.json,.csv,.log,.go,.py,.ts,.tsx,.js,.yaml,.toml" onChange={(e) => (void attach([...(e.target.files ?? [])]), (e.target.value = ""))} />
					<button type="button" className="icon" aria-label={w.attach} title={w.attach} onClick={() => picker.current?.click()}><Paperclip size={16} /></button>
					<ModelChoice model={model} disabled={s.working} onChoose={(m) => void change({ model: m })} dir={s.dir} />
					<label className="away" htmlFor="mode">{w.mode}</label>
					<select id="mode" className="small" value={mode} onChange={(e) => void change({ mode: e.target.value })}>{!w.modes[mode] && <option value={mode}>{mode}</option>}{Object.entries(w.modes).map(([k, v]) => <option key={k} value={k}>{v}</option>)}</select>
					<span className="dim hint">{keysHere(w.writeHint)}</span>
					{working && <button type="button" className="no" disabled={stopping} onClick={() => void act("cancel")}>{stopping ? w.stopping : w.stop}</button>}
					{s.working && text.trim() && <button type="button" disabled={busy || uploads.length > 0} title={w.steerHint} onClick={() => void send(true)}>{w.steer}</button>}
					{(!working || text.trim()) && <button type="submit" className={text.trim() ? "main" : ""} disabled={busy || uploads.length > 0 || !text.trim()}>{working ? w.queue : w.send}</button>}
				</div>
			</form>
		</div>
	);
}

// ModelChoice shows the model and lets the user choose another one, while nothing is at work.
// Written is a message that waits. A long one is a line that opens.
function Written({ text }: { text: string }) {
	const line = firstLine(text).slice(0, longestLine);
	if (line === text) return <Visible text={text} prose />;
	return <details><summary className="one"><Visible text={line} prose />…</summary><pre className="text" tabIndex={0}><Visible text={text} prose /></pre></details>;
}

function ModelChoice({ model, dir, disabled, onChoose }: { model: string; dir: string; disabled: boolean; onChoose: (m: string) => void }) {
	const w = useWords();
	const [all, setAll] = useState<Model[] | null>(null);
	const [open, setOpen] = useState(false);
	function look() {
		setOpen(true);
		call<Model[]>("GET", `/models?dir=${encodeURIComponent(dir)}`).then(setAll, () => setAll([]));
	}
	return (
		<>
			<button type="button" className="plain about" disabled={disabled} aria-haspopup="dialog" aria-label={`${w.model}: ${model}`} title={disabled ? w.modelBusy : model} onClick={look}><span className="mono one">{short(model)}</span><ChevronDown size={12} aria-hidden="true" /></button>
			{open && <Choose title={w.chooseModel} all={(all ?? []).map((m) => ({ name: m.ref, more: m.context ? w.contextOf(m.context) : "" }))} note={all ? w.noModels : w.looking} own={onChoose} onChoose={(c) => onChoose(c.name)} onClose={() => setOpen(false)} />}
		</>
	);
}

// base64 returns the content of a file as the interface takes it.
function base64(f: File): Promise<string> {
	return new Promise((ok, no) => {
		const r = new FileReader();
		r.onload = () => ok(String(r.result).replace(/^[^,]*,/, ""));
		r.onerror = () => no(r.error);
		r.readAsDataURL(f);
	});
}
