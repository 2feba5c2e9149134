import { memo, useState } from "react";
import { type Request } from "../api/client";
import { useStore } from "../store/store";
import { title, type Call } from "../store/talk";
import { useNow } from "../store/now";
import { formWord, reasonOf, said, took, useWords, waits, type Words } from "../words";
import { AskCard, planTool } from "./AskCard";
import { Diff, type Change } from "./Diff";
import { Knot, type KnotState } from "./Knot";
import { EventNote } from "./EventNote";
import { CutOutput, Output } from "./Output";
import { Given, Plan } from "./Questions";
import { answered, may, myName } from "../store/lists";
import { Sent, type SentFile } from "./Sent";
import { UndoSheet } from "./Undo";
import { Visible } from "./Text";

interface Detail {
	command?: { exit_code: number; running?: boolean; timed_out?: boolean; job?: string; left?: number; blocked?: { kind: string; target?: string }[] };
	changes?: Change[];
	plan?: { steps: { content: string; status: string }[] };
	found?: { shown: number; more?: boolean };
	files?: SentFile[];
}

export function knotOfCall(c: Call): KnotState {
	return ({ asks: "waits", running: "running", done: "done", failed: "refused", refused: "refused", denied: "refused", stopped: "quiet", void: "quiet", lost: "quiet", judged: "quiet" } as const)[c.state];
}

function Tag({ call: c, detail: d, behind, w }: { call: Call; detail: Detail; behind: boolean; w: Words }) {
	const changes = d.changes ?? [];
	const failedCommand = d.command && !d.command.running && (d.command.exit_code !== 0 || d.command.timed_out);
	if (c.state === "done" && changes.length) return <span className="tag done">{w.edited(sum(changes, "added"), sum(changes, "removed"))}</span>;
	if (c.state === "done" && d.command?.running) return <span className="tag run">{w.inBackground}</span>;
	if (c.state === "done" && failedCommand) return <span className="tag bad">{d.command?.timed_out ? w.timedOut : w.exit(d.command?.exit_code ?? 0)}</span>;
	const names: Record<Call["state"], [string, string]> = {
		judged: ["quiet", w.judged], asks: ["waits", waits(w)], running: ["run", behind ? w.runningOrNext : w.running], done: ["done", w.done], failed: ["bad", w.failed], refused: ["bad", w.refused], denied: ["bad", w.denied], stopped: ["quiet", w.stopped], void: ["quiet", w.voided], lost: ["quiet", w.lost],
	};
	if (c.state === "failed" && d.command && d.command.exit_code > 0) return <span className="tag bad">{w.exit(d.command.exit_code)}</span>;
	const [cls, text] = names[c.state];
	return <span className={"tag " + cls}>{text}</span>;
}

const sum = (all: Change[], key: "added" | "removed") => all.reduce((n, c) => n + c[key], 0);

function Running({ from }: { from: string }) {
	return <>{took(Math.max(0, useNow() - Date.parse(from)) * 1e6)}</>;
}

// CallCard is one call: what a machine does or did, its state, how long it took, and what came of it. One behind a request may have to wait
// for it.
export const CallCard = memo(function CallCard({ call, request, behind: late, cut, children }: { call: Call; request?: Request | undefined; behind?: boolean | undefined; cut?: boolean | undefined; children?: React.ReactNode }) {
	// A call that is allowed begins when those before it are done.
	const answer = useStore(answered).find((d) => d.request.call === call.id && d.request.session === call.session && !d.void)?.answer;
	const next = late && call.state === "judged" || call.state === "asks" && !request && (answer?.choice === "approved" || late);
	const given: Call = next ? { ...call, state: "running", ...(answer ? { answer } : {}) } : call;
	// Where the program ended in the middle of the turn, nothing of it runs or waits any more.
	const c = cut && (given.state === "running" || (given.state === "asks" && !request)) ? { ...given, state: "lost" as const } : given;
	const w = useWords();
	const d = (c.result?.detail ?? {}) as Detail;
	const asked = c.event.intent?.questions;
	const sent = (d.files ?? []).filter((f) => f.abs); // with send_file
	const quiet = c.state === "done" && !d.command && !d.changes?.length && !asked && !sent.length;
	const behind = !!late && !c.output;
	const [open, setOpen] = useState(false);
	const [undo, setUndo] = useState(false); // the dialog is open
	const name = title(c);
	const head = name.split("\n", 1)[0]!.slice(0, 300);
	const long = name.length > 60 || head !== name; // more than a line may show
	if (c.state === "asks" && request) return <Row state="waits"><AskCard key={request.hash} request={request} />{c.edited && <p className="by">{w.editedBy(person(c.edited, w))}</p>}{c.notes.map((e) => <EventNote key={e.seq} event={e} />)}</Row>;
	const text = c.result?.text ?? "";
	const output = c.result ? (d.command ? text.replace(/\n?\[exit code -?\d+ after [^\]]*\](\n\[what the script left running [^\n]*\])?\n?(?=(\n\[note: [^\n]*\])?$)/, "") : text) : c.output;
	const failure = (c.state === "failed" || c.state === "stopped") && !d.command; // sentences, not what a program wrote
	const body = !!output && !d.changes?.length && !d.plan && !sent.length && !(asked && c.state === "done") && (!quiet || open) && c.state !== "denied" && c.state !== "refused";
	return (
		<Row state={knotOfCall(c)}>
			<section className={"call " + c.state} tabIndex={-1} aria-label={head}>
				<header>
					{quiet || long ? (
						<button type="button" className="what mono" aria-expanded={open} onClick={() => setOpen(!open)}><Visible text={head} />{head !== name && " …"}</button>
					) : <span className="what mono"><Visible text={name} /></span>}
					{c.undone ? <span className="tag quiet">{w.undoDone}</span> : <Tag call={c} detail={d} behind={behind} w={w} />}
					{c.result && c.modified && may("operator") && <button type="button" className="link" onClick={() => setUndo(true)}>{w.undo}</button>}
					{undo && <UndoSheet session={c.session} what={{ call: c.id }} onClose={() => setUndo(false)} />}
					<span className="mono dim dur">{c.result?.duration_ns ? took(c.result.duration_ns) : c.state === "running" && c.granted && !behind ? <Running from={c.granted} /> : ""}</span>
				</header>
				{long && open && <pre className="mono whole" tabIndex={0}><Visible text={name} /></pre>}
				{c.edited && <p className="by">{w.editedBy(person(c.edited, w))}</p>}
				{c.answer && <p className="by">{outcome(w, c.answer.choice, !!asked)(person(c.answer.by, w))}{c.answer.from ? ` · ${c.answer.from}` : ""}{c.answer.words ? <q><Visible text={c.answer.words} /></q> : null}</p>}
				{c.state === "void" && <p className="by">{w.void[c.reason ?? ""] ?? c.reason}</p>}
				{(c.state === "denied" || (c.state === "failed" && !asked)) && c.verdict?.reason && <p className="by"><Visible text={reasonOf(w, c.verdict)} /></p>}
				{c.notes.map((e) => <EventNote key={e.seq} event={e} />)}
				{asked && c.name === planTool && <details className="child"><summary>{w.thePlan}</summary><Plan text={formWord(w, asked.list?.[0]?.question ?? "")} /></details>}
				{asked && c.answer?.chosen && <Given asked={asked} chosen={c.answer.chosen} plan={c.name === planTool} />}
				{sent.map((f) => <Sent key={f.abs} file={f} call={c} />)}
				{d.changes?.map((x) => <div key={x.path} className="filechange">{d.changes!.length > 1 && <p className="mono path"><Visible text={x.path} name /> +{x.added} −{x.removed}</p>}{x.diff && <Diff diff={x.diff} path={x.path} />}</div>)}
				{d.plan && <ul className="plan">{d.plan.steps.map((s, i) => <li key={i}><Knot state={stepKnot(s.status)} /><Visible text={s.content} /></li>)}</ul>}
				{d.command?.left ? <p className="by bad">{w.left(d.command.left)}</p> : null}
				{d.command?.blocked?.length ? <p className="by bad">{w.blocked}: {d.command.blocked.map((b) => [b.kind, b.target].filter(Boolean).join(" ")).join(", ")}</p> : null}
				{body && <Output text={failure ? said(w, output) : output} sentences={failure} live={c.state === "running"} begins={!!c.result && !d.command} part={!!c.result?.cut?.ref} label={`${w.output}: ${head}`} />}
				{c.result?.cut?.ref && (!quiet || open) && <CutOutput session={c.session} call={c.id} total={c.result.cut.total} label={`${w.wholeName}: ${head}`} />}
				{!sent.length && c.result?.parts?.map((p, i) => <Part key={i} part={p as Record<string, string>} />)}
				{children}
			</section>
		</Row>
	);
});

export function stepKnot(status: string): KnotState {
	return status === "completed" ? "done" : status === "in_progress" ? "running" : "quiet";
}

// outcome words an answer: a question is answered or not, another call is allowed or refused.
export function outcome(w: Words, choice: string, asked: boolean): (who: string) => string {
	if (choice === "denied") return asked ? w.leftBy : w.refusedBy;
	return asked ? w.answeredBy : w.allowedBy;
}

// person names who answered: "user Mei" is Mei, and "user" the owner. Who looks is "you".
export function person(by: string | undefined, w: Words): string {
	if (by === "rein: nothing is lost") return w.reinItself;
	if (by && by !== "user" && !by.startsWith("user ")) return by;
	const name = by?.slice(5) ?? "";
	return name === myName() ? w.you : name || w.owner;
}

// Part is an image, or what else a result or a message has besides its text.
export function Part({ part }: { part: Record<string, string> }) {
	const w = useWords();
	const kind = part.media_type ?? part.mediaType ?? "";
	if (/^image\/(png|jpeg|gif|webp)$/.test(kind) && part.data) return <img className="shown" alt={part.name || w.image} src={`data:${kind};base64,${part.data}`} />;
	return <p className="by"><span className="tag quiet">{kind || w.image}</span> {part.name || part.uri || ""}</p>;
}

// Row puts something on the rein: the line at the left of a talk, with a knot for its state.
export function Row({ state, children }: { state: KnotState; children: React.ReactNode }) {
	return (
		<div className={"row " + state}>
			<div className="rein"><Knot state={state} /></div>
			<div className="body">{children}</div>
		</div>
	);
}
