import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { outcome, person } from "../parts/CallCard";
import { Empty } from "../parts/Card";
import { Knot, knotOf } from "../parts/Knot";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { eventsBefore, watch } from "../store/line";
import { byTime, sessions } from "../store/lists";
import { useNow } from "../store/now";
import { useStore } from "../store/store";
import type { Call, Step } from "../store/talk";
import { clock, clockSeconds, number, took, useWords, waits, type Words } from "../words";
import { NoSession, useTalk } from "./Session";

export default function TimelineView({ id }: { id?: string }) {
	const w = useWords();
	const all = byTime(useStore(sessions));
	const chosen = id ?? all[0]?.id;
	return chosen ? <Timeline key={chosen} id={chosen} /> : (
		<><Head title={w.timeline} /><div className="page"><Empty title={w.noTurnYet} more={w.noTurns}><Link href="/sessions" className="link">{w.sessions}</Link></Empty></div></>
	);
}

function Timeline({ id }: { id: string }) {
	const w = useWords();
	useEffect(() => watch(id), [id]);
	const t = useTalk(id);
	const partly = t.ready && t.first > 1; // its turns are counted from the beginning
	const [cut, setCut] = useState(false); // the beginning did not come
	useEffect(() => {
		if (partly) void eventsBefore(t, 1).then((events) => t.older(events), () => setCut(true));
	}, [t, partly]);
	const all = byTime(useStore(sessions));
	const now = useNow();
	const [, go] = useLocation();
	const [turn, setTurn] = useState(0);
	const [table, setTable] = useState(false);
	const at = turn || t.turn;
	const steps = t.steps.filter((s) => s.turn === at);
	const begin = Math.min(...steps.map((s) => s.from));
	const end = Math.max(...steps.map((s) => s.to ?? now));
	const total = Math.max(1, end - begin);
	const waited = together(steps.filter((s) => s.kind === "wait").map((s) => [s.from, s.to ?? now]));
	const calls = new Map(t.items.flatMap((i) => (i.kind === "call" ? [[i.id, i] as const] : [])));
	const requests = steps.filter((s) => s.kind === "request");
	const s = all.find((x) => x.id === id);
	if (t.unknown && (!s || s.unreadable || s.damaged)) return <NoSession id={id} session={s} />;
	if (partly && !cut) return <><Head title={w.timeline} /><div className="page"><p className="note" role="status">{w.loading}</p></div></>; // a number of a turn would be wrong
	return (
		<>
			<Head title={w.timeline} sub={steps.length ? [w.turn(at), took(total * 1e6), waited ? w.waitingTime(took(waited * 1e6)) : "", w.requests(requests.length)].filter(Boolean).join(" · ") : ""}>
				<button type="button" className="plain" disabled={steps.length === 0} aria-pressed={table} onClick={() => setTable(!table)}>{table ? w.asChart : w.asTable}</button>
			</Head>
			<div className="page timeline">
				<div className="choose">
					<label className="away" htmlFor="which">{w.chooseSession}</label>
					<select id="which" value={id} onChange={(e) => go("/timeline/" + e.target.value)}>{all.map((x) => <option key={x.id} value={x.id}>{x.title || x.id}</option>)}</select>
					<span className="pager">
						<button type="button" aria-label={w.turn(at - 1)} disabled={at <= 1} onClick={() => setTurn(at - 1)}>‹</button>
						<span className="mono">{w.turn(at)}</span>
						<button type="button" aria-label={w.turn(at + 1)} disabled={at >= t.turn} onClick={() => setTurn(at + 1)}>›</button>
					</span>
					{s && <Link href={"/s/" + id} className="link"><Knot state={knotOf(s)} /> {w.openSession}</Link>}
				</div>
				{steps.length === 0 && t.ready && <Empty title={w.noTurnYet} more={w.noTurns} />}
				{steps.length > 0 && (table ? <Table steps={steps} calls={calls} now={now} w={w} /> : <Chart steps={steps} calls={calls} begin={begin} total={total} now={now} w={w} />)}
			</div>
		</>
	);
}

// together is how long spans of time cover, those that overlap once.
function together(spans: [number, number][]): number {
	let until = 0, sum = 0;
	for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
		sum += Math.max(0, to - Math.max(from, until));
		until = Math.max(until, to);
	}
	return sum;
}

function name(s: Step, w: Words): string {
	return s.kind === "request" ? w.request(Number(s.label)) : s.kind === "agent" ? `${w.agent}: ${s.label}` : s.label;
}

// note is what came of a step: the tokens of a request, who answered, how a call ended.
function note(s: Step, calls: Map<string, Call>, w: Words): string {
	if (s.kind === "request") return s.detail.includes("→") ? s.detail.split("→").map((x) => number(Number(x))).join(" → ") : "";
	const c = calls.get(s.detail);
	if (s.kind === "wait") return c?.answer ? outcome(w, c.answer.choice, !!c.event.intent?.questions)(person(c.answer.by, w)) : c?.state === "asks" ? waits(w) : w.waitedForYou;
	const d = c?.result?.detail as { command?: { exit_code: number; running?: boolean }; changes?: { added: number; removed: number }[] } | undefined;
	if (d?.command && !d.command.running) return w.exit(d.command.exit_code);
	if (d?.changes?.length) return `+${d.changes.reduce((n, x) => n + x.added, 0)} −${d.changes.reduce((n, x) => n + x.removed, 0)}`;
	return !c || c.state === "done" ? "" : ({ running: w.running, failed: w.failed, denied: w.denied, refused: w.refused, void: w.voided, lost: w.lost } as Record<string, string>)[c.state] ?? "";
}

// ticks returns places on the axis of time at round distances, seven at most.
function ticks(total: number): number[] {
	const rough = total / 7, power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;
	return Array.from({ length: Math.floor(total / step) + 1 }, (_, i) => i * step);
}

// Axis is the axis of time. Where for most of a turn nothing happens but waiting, that part is cut short.
interface Axis { place: (t: number) => number; marks: number[]; cuts: [number, number][] }

export function axisOf(steps: Pick<Step, "kind" | "from" | "to">[], begin: number, total: number, now: number): Axis {
	const busy = steps.filter((s) => s.kind !== "wait").map((s): [number, number] => [s.from - begin, (s.to ?? now) - begin]).sort((a, b) => a[0] - b[0]);
	const idle: [number, number][] = [];
	let until = 0;
	for (const [from, to] of [...busy, [total, total] as [number, number]]) {
		if (from - until > total * 0.4) idle.push([until, from]);
		until = Math.max(until, to);
	}
	const rest = total - idle.reduce((n, [from, to]) => n + to - from, 0);
	const cuts = rest > 0 ? idle : [];
	const short = rest * 0.15; // how long a part that is cut looks
	const shown = cuts.length ? rest + cuts.length * short : total;
	const place = (t: number) => {
		let x = t;
		for (const [from, to] of cuts) if (t > from) x -= (Math.min(t, to) - from) * (1 - short / (to - from));
		return (x / shown) * 1000;
	};
	const inside = (t: number) => cuts.some(([from, to]) => t > from && t < to);
	const marks = cuts.length ? [...ticks(rest).map((m) => m + cuts.filter(([, to]) => to <= m).reduce((n, [from, to]) => n + to - from, 0)), ...cuts.map(([, to]) => to)] : ticks(total);
	return { place, marks: marks.filter((m) => m <= total && !inside(m)), cuts };
}

// Chart draws the turn as bars over time: requests to the model, waiting for answers, calls, sub-agents.
function Chart({ steps, calls, begin, total, now, w }: { steps: Step[]; calls: Map<string, Call>; begin: number; total: number; now: number; w: Words }) {
	const [open, setOpen] = useState("");
	const { place, marks, cuts } = axisOf(steps, begin, total, now);
	return (
		<>
			<ul className="legend" aria-hidden="true">{(["request", "call", "wait", "agent"] as const).filter((k) => steps.some((s) => s.kind === k)).map((k) => <li key={k} className={k}><svg viewBox="0 0 12 12"><rect width="12" height="12" rx="2" className="bar" /></svg>{w.kinds[k]}</li>)}</ul>
			<div className="timeaxis mono dim" aria-hidden="true"><div>{marks.map((m, i) => <span key={m} style={{ left: `${place(m) / 10}%` }} className={i % 2 ? "every-other" : ""}>{m === 0 ? "0" : took(m * 1e6)}</span>)}</div></div>
			<ol className="waterfall" aria-label={w.timeline}>
				{steps.map((s) => {
					const x = place(s.from - begin);
					const width = Math.max(3, place((s.to ?? now) - begin) - x);
					const time = took(((s.to ?? now) - s.from) * 1e6), more = note(s, calls, w);
					const c = calls.get(s.detail);
					const bad = s.kind === "wait" ? c?.answer?.choice === "denied" : c?.state === "failed" || c?.state === "denied";
					return (
						<li key={s.key} className={s.kind}>
							<button type="button" className="mono one name" title={name(s, w)} aria-expanded={open === s.key} onClick={() => setOpen(open === s.key ? "" : s.key)}><Visible text={name(s, w)} /></button>
							<svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
								{marks.map((m) => <line key={m} x1={place(m)} x2={place(m)} y1="-9" y2="23" className="grid" />)}
								<defs><pattern id={"p" + s.key} width="10" height="14" patternUnits="userSpaceOnUse" patternTransform="skewX(-30)"><rect width="5" height="14" className="stripe" /></pattern></defs>
								<rect x={Math.min(x, 997)} y="0" width={Math.min(width, 1000 - Math.min(x, 997))} height="14" className="bar" />
								{cuts.map(([from, to]) => <rect key={from} x={(place(from) + place(to)) / 2 - 2} y="-9" width="4" height="32" className="cut" />)}
								{s.kind === "wait" && <rect x={x} y="0" width={Math.min(width, 1000 - x)} height="14" fill={`url(#p${s.key})`} />}
							</svg>
							<span className="mono dur">{time}</span>
							<span className={bad ? "mono more bad" : "mono more dim"}>{more}</span>
							{open === s.key && <p className="opened"><span className="mono"><Visible text={name(s, w)} /></span><span className="dim">{w.began} {clockSeconds(s.from)} · {w.took.toLowerCase()} {time}{more && ` · ${more}`}</span></p>}
						</li>
					);
				})}
			</ol>
		</>
	);
}

function Table({ steps, calls, now, w }: { steps: Step[]; calls: Map<string, Call>; now: number; w: Words }) {
	return (
		<div className="scroll" tabIndex={0}><table className="numbers">
			<thead><tr><th>{w.what}</th><th>{w.began}</th><th>{w.took}</th><th /></tr></thead>
			<tbody>{steps.map((s) => <tr key={s.key}><td className="mono">{name(s, w)}</td><td className="mono">{clock(s.from)}</td><td className="mono">{took(((s.to ?? now) - s.from) * 1e6)}</td><td className="mono dim">{note(s, calls, w)}</td></tr>)}</tbody>
		</table></div>
	);
}
