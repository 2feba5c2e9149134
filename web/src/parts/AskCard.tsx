import { forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { call, Problem, type Answered, type Request } from "../api/client";
import { drafted, takeDrafts, useDraft } from "../store/drafts";
import { line } from "../store/line";
import { look } from "../store/look";
import { useStore } from "../store/store";
import { firstLine } from "../store/talk";
import { editKey, may, seesAll, nameOf, notSent } from "../store/lists";
import { useNow } from "../store/now";
import { originName, reasonOf, said, since, useWords, waits, type Words } from "../words";
import { Diff } from "./Diff";
import { End } from "./End";
import { Visible } from "./Text";
import { Failure } from "./Failure";
import { canEdit, EditCall } from "./EditCall";
import { Questions, type Chosen } from "./Questions";
import { WhatIf } from "./WhatIf";

// planTool is the tool with which plan mode ends.
export const planTool = "present_plan";

export function heading(w: Words, r: Request): string {
	const i = r.intent;
	if (i?.questions) return r.tool === planTool ? w.wantsPlan : w.asksYou;
	if (i?.requests_access) return w.wantsAccess;
	if (i?.command) return w.wantsRun;
	if (i?.writes?.length) return w.wantsChange;
	if (i?.hosts?.length) return w.wantsNetwork;
	return w.wantsTool(r.tool);
}

// oneLine is what a request is about, for a row.
export function oneLine(r: Request): string {
	const i = r.intent;
	const about = [...(i?.writes ?? []), ...(i?.hosts ?? [])];
	return i?.command || i?.questions?.list?.map((q) => firstLine(q.question)).join(" · ") || `${r.tool} ${about.length ? about.join(" ") : JSON.stringify(r.args ?? {})}`;
}

// effects groups what the call does by its verb: runs go, runs git → Runs: go, git.
export function effects(r: Request): Map<string, string[]> {
	const out = new Map<string, string[]>();
	for (const e of r.verdict.effects ?? []) {
		if (/^[-+] /.test(e)) continue;
		const at = e.indexOf(" ");
		const verb = at < 0 ? e : e.slice(0, at);
		out.set(verb, [...(out.get(verb) ?? []), at < 0 ? "" : e.slice(at + 1)]);
	}
	const contacts = r.shown?.contacts ?? [];
	if ((r.shown?.network || contacts.length > 0) && !networkVerbs.some((v) => out.has(v))) out.set("network", [...new Set(contacts.map((c) => c.preset || c.host))]);
	return out;
}

// definition is what is different in the definition of the tool since it was first used. An approval accepts it.
const definition = (r: Request) => (r.verdict.effects ?? []).filter((e) => /^[-+] /.test(e));

// networkVerbs are those of effects on the network.
export const networkVerbs = ["connects", "contacts", "network"];

function effectName(w: Words, verb: string): string {
	return ({ runs: w.runs, writes: w.writes, removes: w.removes, reads: w.reads, opens: w.opens, "no-undo": w.noUndo, connects: w.network, contacts: w.network, network: w.network } as Record<string, string>)[verb] ?? verb.charAt(0).toUpperCase() + verb.slice(1);
}

// effectWords is one effect of a verb. What undo does not have is followed by why.
function effectWords(w: Words, verb: string, what: string): string {
	const [, path, why] = (verb === "no-undo" && /^(.*) \((.*)\)$/s.exec(what)) || [];
	return why ? `${path} (${said(w, why)})` : verb === "opens" ? said(w, what) : what;
}

// marks finds the parts of a command under which the request has carets: they are why it asks.
export function marks(command: string, lines: string[] | null): [number, number][] {
	const found: [number, number][] = [];
	const shown = command.split("\n");
	let offset = 0;
	let at = 0;
	for (const text of shown) {
		const i = (lines ?? []).findIndex((l, n) => n >= at && l.trimEnd() === "  " + text.trimEnd());
		if (i >= 0) {
			at = i + 1;
			const under = lines?.[i + 1] ?? "";
			if (/^ +\^[\^ ]*$/.test(under)) for (const m of under.matchAll(/\^+/g)) found.push([offset + m.index - 2, offset + m.index - 2 + m[0].length]);
		}
		offset += text.length + 1;
	}
	return found.filter(([a, b]) => a >= 0 && b <= command.length);
}

function Command({ text, lines, seen }: { text: string; lines: string[] | null; seen: (name: string) => void }) {
	const parts = [];
	let last = 0;
	for (const [a, b] of marks(text, lines)) {
		parts.push(<Visible key={last} text={text.slice(last, a)} />, <mark key={"m" + a}><Visible text={text.slice(a, b)} /></mark>);
		last = b;
	}
	parts.push(<Visible key={last} text={text.slice(last)} />);
	return <pre className="command" tabIndex={0}>{parts}<End seen={seen} /></pre>;
}

// diffsOf finds the changes in the lines of a request: "change a.go (+1 -2 lines)", then the diff.
// left is how many lines of it the request leaves out.
export function diffsOf(lines: string[] | null): { head: string; path: string; diff: string; left: number }[] {
	const out: { head: string; path: string; diff: string[]; left: number }[] = [];
	for (const raw of lines ?? []) {
		const l = raw.replace(/^ {2}/, "");
		const h = /^(?:change|create|delete) (.+) \(\+\d+ -\d+ lines\)$/.exec(l);
		if (h?.[1]) out.push({ head: l, path: h[1], diff: [], left: 0 });
		else if (out.length && l.startsWith(leftOut)) out.at(-1)!.left = Number(l.slice(leftOut.length));
		else if (out.length && /^(@@|[-+ \\])/.test(l) && !/^ {2}\w+ {2,}/.test(raw)) out.at(-1)?.diff.push(l);
	}
	return out.map((d) => ({ ...d, diff: d.diff.join("\n") })).filter((d) => d.diff);
}

const leftOut = "… lines left out: ";

// allOf is a call as the request begins with it: its whole arguments.
const allOf = (lines: string[] | null, head: string) => (lines ?? []).slice(0, (lines ?? []).findIndex((l) => l.endsWith(head))).map((l) => l.replace(/^ {2}/, "")).join("\n");

export interface AskHandle { focus(): void; press(key: string): boolean }

// A key answers only where no other key came just before it: words that are typed are no answers.
const pause = 400; // ms
let last = -Infinity, before = -Infinity;
window.addEventListener("keydown", (e) => { if (!["Shift", "Control", "Alt", "Meta"].includes(e.key)) [before, last] = [last, performance.now()]; }, true);
const aloneNow = () => last - before > pause;

// AskCard is one approval request, with all of what would run, and its answers. It is never a dialog that covers others.
export const AskCard = forwardRef<AskHandle, { request: Request; note?: string | undefined; onOpen?: (() => void) | undefined; onAnswering?: ((yes: boolean) => void) | undefined; selected?: boolean; onSelect?: (() => void) | undefined }>(function AskCard(
	{ request: r, note, onOpen, onAnswering, selected, onSelect }, ref) {
	const w = useWords();
	const now = useNow();
	const card = useRef<HTMLElement>(null);
	const field = useRef<HTMLTextAreaElement>(null);
	const [words, setWords] = useDraft(`${r.session}/${r.call} words`, () => "");
	const [mode, setMode] = useState<"" | "refuse" | "rule" | "edit">(words ? "refuse" : drafted(editKey(r)) ? "edit" : "");
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<unknown>(null);
	const [fresh, setFresh] = useState(true); // it has only just appeared under the finger
	const diffs = diffsOf(r.lines);
	const asked = r.intent?.questions;
	const [ends, setEnds] = useState<ReadonlySet<string>>(new Set()); // that were seen: of the command, of each difference
	const [seen] = useState(() => (name: string) => setEnds((all) => new Set(all).add(name)));
	const left = diffs.reduce((n, d) => n + d.left, 0);
	const read = !!asked || (diffs.length && !r.intent?.command ? [...diffs.map((d) => d.path), ...(left ? [""] : [])] : [""]).every((name) => ends.has(name));
	const scopes = r.scopes ?? [];
	const session = scopes.find((s) => s.scope === "session");
	const rules = may("operator") ? scopes.filter((s) => s.scope !== "session") : [];
	const added = [...new Set(rules.flatMap((s) => s.rules ?? []))];
	const connected = useStore(line).state !== "broken"; // else what is shown may be old
	const can = may("approver") && connected;
	const accepts = !!r.verdict.rules?.includes("mcp.definition"); // the approval holds for the definition of the tool too
	const mayAllow = can && read && !busy && !fresh && (!accepts || may("operator"));
	const mayEdit = may("operator") && canEdit(r);
	const letters = useStore(look).letters;
	const key = (k: string) => letters && <kbd>{k}</kbd>;
	const back = () => (setMode(""), card.current?.focus());

	async function answer(choice: "approved" | "denied", scope = "", chosen?: Chosen, args?: Record<string, unknown>) {
		setBusy(true);
		setProblem(null);
		const held = document.activeElement; // a button or a choice, which loses the focus now that it is disabled
		if (held !== field.current && card.current?.contains(held)) card.current.focus({ preventScroll: true });
		onAnswering?.(true); // the card may be gone before the answer to this is here
		const written = takeDrafts(r);
		try {
			const first = await call<Answered>("POST", `/inbox/${r.session}/${r.call}`, { choice, hash: r.hash, ...(scope ? { scope } : {}), ...(choice === "denied" && words ? { words } : {}), ...(chosen ? { chosen } : {}), ...(args ? { args } : {}) });
			if (!first.mine) notSent(r, written);
		} catch (e) {
			notSent(r, written);
			onAnswering?.(false);
			setProblem(e instanceof Problem ? e : new Problem(0, "", String(e)));
			setBusy(false);
		}
	}

	function press(key: string): boolean {
		if (!can || asked) return false;
		if (key === "n") setMode("refuse"); // the next keys are its words
		else if (fresh || !aloneNow()) return false;
		else if (key === "y" && mayAllow) void answer("approved");
		else if (key === "s" && session && mayAllow) void answer("approved", "session");
		else if (key === "e" && mayEdit && !busy) setMode("edit");
		else if (key === "r" && rules.length && mayAllow) setMode("rule");
		else if (key === "x" && onSelect && read && !r.high_risk) onSelect();
		else if (key === "Enter" && onOpen) onOpen();
		else if (key === "Escape" && mode) back();
		else return false;
		return true;
	}
	useImperativeHandle(ref, () => ({ focus: () => card.current?.focus(), press }));
	useEffect(() => {
		const t = window.setTimeout(() => setFresh(false), pause);
		return () => clearTimeout(t);
	}, []);
	const before = useRef(mode);
	useEffect(() => {
		if (mode === "refuse" && before.current !== mode) { // not where it is drawn with words that were written before
			field.current?.focus();
			field.current?.form?.scrollIntoView({ block: "nearest" }); // with its buttons
		}
		if (mode && document.activeElement === document.body) card.current?.focus(); // the button that was pressed is gone
		before.current = mode;
	}, [mode]);
	// Where it goes with the focus, the talk around it has the focus then: the next key acts there.
	useLayoutEffect(() => () => {
		const talk = card.current?.contains(document.activeElement) ? card.current.closest<HTMLElement>(".talk") : null;
		requestAnimationFrame(() => document.activeElement === document.body && talk?.focus({ preventScroll: true }));
	}, []);

	const title = `${heading(w, r)} ${nameOf(r)}`;
	return (
		<article
			ref={card} className="ask" tabIndex={0} role="group" aria-label={title} data-call={r.call}
			onKeyDown={(e) => {
				if (e.target !== e.currentTarget || e.ctrlKey || e.metaKey || e.altKey || !letters) return;
				if (press(e.key)) e.preventDefault();
			}}
		>
			<header>
				<span className="tag waits">{waits(w)}</span>
				<h2>{heading(w, r)}</h2>
				{(r.depth ?? 0) > 0 && <span className="tag sub">{w.subAgent}{r.agent ? " " + r.agent : ""}</span>}
				{r.high_risk && !asked && <span className="tag high">{w.highRisk}</span>}
				<time className="mono" dateTime={r.time}>{since(r.time, now)}</time>
			</header>
			{onOpen && <button type="button" className="from link one" onClick={onOpen}><Visible text={nameOf(r)} /></button>}
			{note && <p className="note">{note}</p>}
			{asked ? <Questions name={`${r.session}/${r.call}`} asked={asked} plan={r.tool === planTool} disabled={!can || busy} onAnswer={(c) => void answer("approved", "", c)} onRefuse={() => void answer("denied")} />
				: r.intent?.command ? <Command text={r.intent.command} lines={r.lines} seen={seen} />
				: diffs.length ? diffs.map((d, i) => <div key={i}><p className="command one"><Visible text={w.changeHead(d.head)} /></p><Diff diff={d.diff} path={d.path} onEnd={seen} />{d.left > 0 && <p className="note">{w.linesLeft(d.left)}</p>}</div>)
				: <pre className="command" tabIndex={0}><Visible text={argumentsOf(r)} /><End seen={seen} /></pre>}
			{left > 0 && !r.intent?.command && <pre className="command" tabIndex={0}><Visible text={allOf(r.lines, diffs[0]!.head)} /><End seen={seen} /></pre>}
			<dl className="effects">
				{r.task && <div><dt>{w.schedule.task}</dt><dd><Visible text={r.task} /></dd></div>}
				{[...effects(r)].map(([verb, what]) => <div key={verb}><dt>{effectName(w, verb)}</dt><dd className="mono"><Visible text={what.map((x) => effectWords(w, verb, x)).join(", ") || (verb === "network" ? w.unknownHosts : "")} /></dd></div>)}
				{definition(r).length > 0 && <div><dt>{w.toolServer.pins}</dt><dd className="mono">{definition(r).map((l) => <div key={l}><Visible text={l} /></div>)}</dd></div>}
				{!asked && r.verdict.reason && (
					<div><dt>{w.why}</dt><dd><Visible text={reasonOf(w, r.verdict)} />{(r.verdict.rule_at || r.verdict.rules?.length) && <> · <Link href="/rules" className="mono rule" title={r.verdict.rule_at}>{place(r.verdict.rule_at) || r.verdict.rules?.join(", ")}</Link></>}</dd></div>
				)}
				{mode === "" && added.length > 0 && <div className="whatifrow"><dt>{w.rule}</dt><dd><span className="mono"><Visible text={added.slice(0, 2).join(", ") + (added.length > 2 ? ", …" : "")} /></span> · <button type="button" className="link" disabled={!mayAllow} onClick={() => setMode("rule")}>{w.whatIf.show}</button></dd></div>}
				{(r.shown?.origins ?? []).map((o) => <div key={o.words}><dt>{w.origin}</dt><dd><Visible text={originName(w, o.from)} />: <span className="mono"><Visible text={o.words} /></span> · <span className="dim"><Visible text={o.text} /></span></dd></div>)}
				{r.intent?.cwd && <div><dt>{w.folder}</dt><dd className="mono"><Visible text={r.intent.cwd} /></dd></div>}
			</dl>
			<footer>
				{mode === "" && !asked && (
					<div className="buttons">
						<button type="button" className="main" disabled={!mayAllow} onClick={() => void answer("approved")}>{w.allowOnce} {key("y")}</button>
						<button type="button" className="no" disabled={!can || busy} onClick={() => setMode("refuse")}>{w.refuse} {key("n")}</button>
						<span className="gap" />
						{session && <button type="button" title={w.forSessionMore} disabled={!mayAllow} onClick={() => void answer("approved", "session")}>{w.forSession} {key("s")}</button>}
						{rules.length > 0 && <button type="button" disabled={!mayAllow} onClick={() => setMode("rule")}>{w.byRule} {key("r")}</button>}
						{mayEdit && <button type="button" disabled={busy} onClick={() => setMode("edit")}>{w.editing.edit} {key("e")}</button>}
						{onSelect && !r.high_risk && <label className="check"><input type="checkbox" checked={!!selected} disabled={!read} onChange={onSelect} />{w.select}</label>}
					</div>
				)}
				{mode === "refuse" && (
					<form className="refuse" onSubmit={(e) => (e.preventDefault(), void answer("denied"))} onKeyDown={(e) => e.key === "Escape" && back()}>
						<textarea ref={field} rows={2} value={words} placeholder={w.refuseWords} aria-label={w.refuseWords} maxLength={10_000} onChange={(e) => setWords(e.target.value)}
							onKeyDown={(e) => e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.nativeEvent.isComposing && (e.preventDefault(), void answer("denied"))} />
						<div className="buttons">
							<button type="submit" className="no full" disabled={busy}>{w.refuseNow}</button>
							<button type="button" className="plain" onClick={back}>{w.cancel}</button>
						</div>
					</form>
				)}
				{mode === "edit" && <EditCall request={r} busy={busy} onSend={(args) => void answer("approved", "", undefined, args)} onCancel={back} />}
				{mode === "rule" && (
					<div className="ruledraft" onKeyDown={(e) => e.key === "Escape" && back()}>
						<h3>{w.ruleTitle}</h3>
						<p>{w.ruleAdds}</p>
						<ul>{added.map((x) => <li key={x} className="mono"><Visible text={x} /></li>)}</ul>
						<WhatIf dir={r.dir} rules={added} />
						<div className="buttons">
							{rules.map((s, i) => <button key={s.scope} type="button" className={i === 0 ? "main" : ""} title={s.text} autoFocus={i === 0} disabled={busy || (s.scope === "always" && !seesAll())} onClick={() => void answer("approved", s.scope)}>{w.adoptFor[s.scope] ?? s.text}</button>)}
							<button type="button" className="plain" onClick={back}>{w.cancel}</button>
						</div>
						{!seesAll() && rules.some((s) => s.scope === "always") && <p className="note">{w.seesSome}</p>}
					</div>
				)}
				{r.intent?.requests_access && mode === "" && <p className="note">{w.accessOnce}</p>}
				{!read && mode !== "edit" && <p className="note">{w.readToEnd}</p>}
				{accepts && <p className="note">{w.acceptsDefinition}{can && !may("operator") && " " + w.needsRole(w.roles.operator ?? "")}</p>}
				{!connected ? <p className="note">{w.notConnected}</p> : !can && <p className="note">{w.needsRole(w.roles.approver ?? "")}</p>}
				<Failure error={problem} />
			</footer>
		</article>
	);
});

// place shortens where a rule is to the name of its file.
function place(at: string | undefined): string {
	return at ? at.slice(at.lastIndexOf("/") + 1) : "";
}

function argumentsOf(r: Request): string {
	try {
		return r.tool + " " + JSON.stringify(r.args, null, 2);
	} catch {
		return (r.lines ?? []).join("\n");
	}
}
