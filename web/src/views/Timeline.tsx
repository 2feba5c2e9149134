import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { Knot, knotOf } from "../parts/Knot";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { watch } from "../store/line";
import { byTime, sessions } from "../store/lists";
import { useNow } from "../store/now";
import { useStore } from "../store/store";
import type { Step } from "../store/talk";
import { clock, number, took, useWords, type Words } from "../words";
import { useTalk } from "./Session";

export default function TimelineView({ id }: { id?: string }) {
	const w = useWords();
	const all = byTime(useStore(sessions));
	const chosen = id ?? all[0]?.id;
	return chosen ? <Timeline key={chosen} id={chosen} /> : (
		<><Head title={w.timeline} /><div className="page"><div className="empty"><p>{w.noTurns}</p></div></div></>
	);
}

function Timeline({ id }: { id: string }) {
	const w = useWords();
	useEffect(() => watch(id), [id]);
	const t = useTalk(id);
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
	const waited = steps.filter((s) => s.kind === "wait").reduce((n, s) => n + (s.to ?? now) - s.from, 0);
	const requests = steps.filter((s) => s.kind === "request");
	const s = all.find((x) => x.id === id);
	return (
		<>
			<Head title={w.timeline} sub={steps.length ? [w.turn(at), took(total * 1e6), waited ? w.waitingTime(took(waited * 1e6)) : "", w.requests(requests.length)].filter(Boolean).join(" · ") : ""}>
				<button type="button" className="plain" aria-pressed={table} onClick={() => setTable(!table)}>{table ? w.asChart : w.asTable}</button>
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
					{s && <Link href={"/s/" + id} className="link"><Knot state={knotOf(s.state)} /> {w.openSession}</Link>}
				</div>
				{steps.length === 0 && <div className="empty"><p>{w.noTurns}</p></div>}
				{steps.length > 0 && (table ? <Table steps={steps} now={now} w={w} /> : <Chart steps={steps} begin={begin} total={total} now={now} w={w} />)}
			</div>
		</>
	);
}

function name(s: Step, w: Words): string {
	return s.kind === "request" ? w.request(Number(s.label)) : s.kind === "agent" ? `${w.agent}: ${s.label}` : s.label;
}

function note(s: Step): string {
	return s.kind === "request" && s.detail.includes("→") ? s.detail.split("→").map((x) => number(Number(x))).join(" → ") : "";
}

// Chart draws the turn as bars over time: requests to the model, waiting for answers, calls, sub-agents.
function Chart({ steps, begin, total, now, w }: { steps: Step[]; begin: number; total: number; now: number; w: Words }) {
	return (
		<ol className="waterfall" aria-label={w.timeline}>
			{steps.map((s) => {
				const x = ((s.from - begin) / total) * 1000;
				const width = Math.max(3, (((s.to ?? now) - s.from) / total) * 1000);
				return (
					<li key={s.key} className={s.kind}>
						<span className="mono one name" title={name(s, w)}><Visible text={name(s, w)} /></span>
						<svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
							{Array.from({ length: 8 }, (_, i) => <line key={i} x1={i * 142.8 + 0.5} x2={i * 142.8 + 0.5} y1="0" y2="14" className="grid" />)}
							<defs><pattern id={"p" + s.key} width="10" height="14" patternUnits="userSpaceOnUse" patternTransform="skewX(-30)"><rect width="5" height="14" className="stripe" /></pattern></defs>
							<rect x={Math.min(x, 997)} y="0" width={Math.min(width, 1000 - Math.min(x, 997))} height="14" className="bar" />
							{s.kind === "wait" && <rect x={x} y="0" width={Math.min(width, 1000 - x)} height="14" fill={`url(#p${s.key})`} />}
						</svg>
						<span className="mono dur">{took(((s.to ?? now) - s.from) * 1e6)}</span>
						<span className="mono dim tokens">{s.kind === "wait" ? w.waitedForYou : note(s)}</span>
					</li>
				);
			})}
		</ol>
	);
}

function Table({ steps, now, w }: { steps: Step[]; now: number; w: Words }) {
	return (
		<div className="scroll" tabIndex={0}><table className="numbers">
			<thead><tr><th>{w.what}</th><th>{w.began}</th><th>{w.took}</th><th /></tr></thead>
			<tbody>{steps.map((s) => <tr key={s.key}><td className="mono">{name(s, w)}</td><td className="mono">{clock(s.from)}</td><td className="mono">{took(((s.to ?? now) - s.from) * 1e6)}</td><td className="mono dim">{s.kind === "wait" ? w.waitedForYou : note(s)}</td></tr>)}</tbody>
		</table></div>
	);
}
