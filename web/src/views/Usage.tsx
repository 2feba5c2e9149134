import { useEffect, useState } from "react";
import { Link } from "wouter";
import { base, call, type Counted, type Spent } from "../api/client";
import { Empty } from "../parts/Card";
import { inDir, useData } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { sessions, workspaces } from "../store/lists";
import { useStore } from "../store/store";
import { dayName, money, number, short, took, useWords } from "../words";

const spans = [7, 30, 90, 365];
const tokensOf = (s: Spent) => (s.usage.input ?? 0) + (s.usage.output ?? 0);

export default function UsageView() {
	const w = useWords();
	const all = useStore(workspaces);
	const [days, setDays] = useState(30);
	const [dir, setDir] = useState("");
	const [spent, setSpent] = useState<Spent[] | null>(null);
	const [problem, setProblem] = useState<unknown>(null);
	const [table, setTable] = useState(false);
	useEffect(() => {
		const stop = new AbortController();
		call<Spent[]>("GET", `/usage?days=${days}${dir ? "&dir=" + encodeURIComponent(dir) : ""}`, undefined, stop.signal).then((s) => (setSpent(s), setProblem(null)), (e) => !stop.signal.aborted && setProblem(e));
		return () => stop.abort();
	}, [days, dir]);
	const { data: counted } = useData<Counted>(inDir(`/usage/calls?days=${days}`, dir) || `/usage/calls?days=${days}`);
	const list = spent ?? [];
	const sum = (f: (s: Spent) => number, of = list) => of.reduce((n, s) => n + f(s), 0);
	const cost = sum((s) => s.usage.cost ?? 0), input = sum((s) => s.usage.input ?? 0), cached = sum((s) => s.usage.cache_read ?? 0), calls = sum((s) => s.calls), failed = sum((s) => s.failed);
	const first = Math.min(...list.map((s) => Date.parse(s.day)), Date.now());
	const shown = Math.min(days, 90, Math.max(7, Math.ceil((Date.now() - first) / 86_400_000) + 1)); // little data fills the width too
	const dates = Array.from({ length: shown }, (_, i) => new Date(Date.now() - (shown - 1 - i) * 86_400_000).toISOString().slice(0, 10));
	const byDay = (f: (s: Spent) => number) => dates.map((d) => ({ name: d, value: sum(f, list.filter((s) => s.day === d)) }));
	const models = [...new Set(list.map((s) => s.model))].map((m) => ({ name: short(m) || "—", value: sum(tokensOf, list.filter((s) => s.model === m)) })).sort((a, b) => b.value - a.value);
	const dear = [...useStore(sessions).values()].filter((s) => (!dir || s.dir === dir) && Date.now() - Date.parse(s.last) < days * 86_400_000 && (s.usage?.cost ?? 0) > 0)
		.sort((a, b) => (b.usage?.cost ?? 0) - (a.usage?.cost ?? 0)).slice(0, 8).map((s) => ({ name: s.title || s.id, value: s.usage?.cost ?? 0, to: "/s/" + s.id }));
	return (
		<>
			<Head title={w.usage}>{list.length > 0 && <a className="link" href={`${base}v1/usage.csv?days=${days}${dir ? "&dir=" + encodeURIComponent(dir) : ""}`} download>CSV</a>}<button type="button" className="plain" aria-pressed={table} onClick={() => setTable(!table)}>{table ? w.asChart : w.asTable}</button></Head>
			<div className="page usage">
				<div className="choose">
					<select aria-label={w.days(2)} value={days} onChange={(e) => setDays(Number(e.target.value))}>{spans.map((n) => <option key={n} value={n}>{w.days(n)}</option>)}</select>
					{all.length > 1 && <select aria-label={w.workspace} value={dir} onChange={(e) => setDir(e.target.value)}><option value="">{w.workspace}</option>{all.map((x) => <option key={x.dir} value={x.dir}>{x.name}</option>)}</select>}
				</div>
				<Failure error={problem} />
				{spent && list.length === 0 && <Empty title={w.usageEmpty} more={w.usageEmptyMore} />}
				{list.length > 0 && (
					<>
						<ul className="totals">
							{cost > 0 && <li><b>{money(cost)}</b><span>{w.cost}</span></li>}
							<li><b>{compact(sum(tokensOf), w.code)}</b><span>{w.tokens}{cached > 0 && input > 0 ? ` · ${Math.round((100 * cached) / input)} % ${w.cached}` : ""}</span></li>
							<li><b>{number(calls)}</b><span>{w.calls(calls).replace(/^[\d,. ]+/, "")}</span></li>
							<li><b>{percent(failed, calls)}</b><span>{w.failedCalls}</span></li>
							{counted && <li><b>{percent(sumOf(counted.stats.tools, "denied"), sumOf(counted.stats.tools, "calls"))}</b><span>{w.deniedCalls}</span></li>}
						</ul>
						{counted?.more && <p className="note">{w.countedSome(counted.stats.sessions)}</p>}
						{table ? <><Table list={list} />{counted && <CallTable of={counted.stats} />}</> : (
							<div className="charts">
								<Days title={w.tokensByDay} data={byDay(tokensOf)} show={(n) => compact(n, w.code)} />
								{cost > 0 && <Days title={w.moneyByDay} data={byDay((s) => s.usage.cost ?? 0)} show={money} />}
								<Days title={w.callsByDay} data={byDay((s) => s.calls)} show={number} />
								<Bars title={w.byModel} data={models} show={(n) => compact(n, w.code)} />
								{dear.length > 0 && <Bars title={w.dearest} data={dear} show={money} />}
								{counted && <Calls of={counted.stats} />}
							</div>
						)}
					</>
				)}
			</div>
		</>
	);
}

type Stats = Counted["stats"];
type Counts = Record<string, number> | null | undefined;
type Rows = Stats["tools"];
type Row = NonNullable<Rows>[string];
const sumOf = (rows: Rows, of: "calls" | "denied") => Object.values(rows ?? {}).reduce((n, r) => n + r[of], 0);
const rowsBy = (rows: Rows, of: (r: Row) => number) => Object.entries(rows ?? {}).map(([name, row]) => ({ name, row, value: of(row) })).sort((a, b) => b.value - a.value);
const percent = (n: number, of: number) => `${of ? Math.round((1000 * n) / of) / 10 : 0} %`;
const bars = (c: Counts): Datum[] => Object.entries(c ?? {}).map(([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value);

// Calls shows what sessions did, and what kept them from it.
function Calls({ of: s }: { of: Stats }) {
	const w = useWords();
	const who = (c: Counts) => bars(c).map((d) => ({ ...d, name: w.answerers[d.name] ?? d.name }));
	const tools = rowsBy(s.tools, (r) => r.calls).map(({ row, ...d }) => ({ ...d, bad: row.failed - row.denied, denied: row.denied }));
	const agents = rowsBy(s.agents, (r) => r.sessions).filter((d) => d.name !== "rein" && d.value > 0);
	const all: [string, Datum[]][] = [[w.callsByTool, tools], [w.approvedBy, who(s.approvals)], [w.deniedBy, who(s.refusals)], [w.agentRuns, agents]];
	return <>{all.filter(([, data]) => data.length > 0).map(([title, data]) => <Bars key={title} title={title} data={data} show={number} />)}</>;
}

function CallTable({ of: s }: { of: Stats }) {
	const w = useWords();
	const calls = w.calls(2).replace(/^[\d ]+/, "");
	return <>{([[w.tool, s.tools], [w.model, s.models], [w.agent, s.agents]] as [string, Rows][]).map(([title, rows]) => (
		<div key={title} className="scroll" tabIndex={0} role="region" aria-label={title}><table className="numbers">
			<thead><tr>{[title, calls, w.failed, w.denied, w.askedCalls, w.waitedTime, w.ranTime].map((h) => <th key={h}>{h}</th>)}</tr></thead>
			<tbody>{rowsBy(rows, (r) => r.calls).map(({ name, row: r }) => <tr key={name}><td className="mono">{name}</td>{[number(r.calls), number(r.failed), number(r.denied), number(r.asked), r.waited_ns ? took(r.waited_ns) : "", took(r.ran_ns)].map((v, i) => <td key={i} className="mono">{v}</td>)}</tr>)}</tbody>
		</table></div>
	))}</>;
}

function compact(n: number, code: string): string {
	return new Intl.NumberFormat(code, { notation: "compact", maximumFractionDigits: 1 }).format(n);
}

// Datum is one bar: how much, and how much of it failed or was denied.
interface Datum { name: string; value: number; bad?: number; denied?: number; to?: string }

function Days({ title, data, show }: { title: string; data: Datum[]; show: (n: number) => string }) {
	const most = Math.max(...data.map((d) => d.value), 0);
	const [at, setAt] = useState<Datum | null>(null);
	const width = 600 / data.length;
	return (
		<figure>
			<figcaption><h2>{title}</h2><span className="mono dim">{at ? `${dayName(at.name + "T12:00")}  ${show(at.value)}` : most ? `↑ ${show(most)}` : ""}</span></figcaption>
			<svg viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label={`${title}: ${data.filter((d) => d.value).map((d) => `${d.name} ${show(d.value)}`).join(", ")}`} onPointerLeave={() => setAt(null)}>
				<line x1="0" x2="600" y1="119.5" y2="119.5" className="grid" />
				{data.map((d, i) => <g key={d.name} onPointerEnter={() => setAt(d)}><rect x={i * width} y="0" width={width} height="120" fill="transparent" /><rect x={i * width + width * 0.15} width={width * 0.7} y={most ? 119 - (d.value / most) * 114 : 119} height={most ? (d.value / most) * 114 : 0} className="bar" /></g>)}
			</svg>
			<p className="mono dim axis"><span>{data[0] && dayName(data[0].name + "T12:00")}</span><span>{data.length > 0 && dayName(data.at(-1)!.name + "T12:00")}</span></p>
		</figure>
	);
}

function Bars({ title, data, show }: { title: string; data: Datum[]; show: (n: number) => string }) {
	const w = useWords();
	const most = Math.max(...data.map((d) => d.value), 1);
	const parts = (d: Datum) => [["bar", d.value - (d.bad ?? 0) - (d.denied ?? 0)], ["bar failed", d.bad ?? 0], ["bar denied", d.denied ?? 0]] as const;
	const words = (d: Datum) => [d.bad ? `${d.bad} ${w.failed}` : "", d.denied ? `${d.denied} ${w.denied}` : ""].filter(Boolean).join(", ");
	return (
		<figure>
			<figcaption><h2>{title}</h2><span className="legend note">{data.some((d) => d.bad) && <span className="bad">{w.failed}</span>} {data.some((d) => d.denied) && <span className="waits">{w.denied}</span>}</span></figcaption>
			<ul className="bars">{data.slice(0, 8).map((d) => {
				let x = 0;
				return (
					<li key={d.name} title={words(d)}>
						{d.to ? <Link href={d.to} className="one">{d.name}</Link> : <span className="mono one">{d.name}</span>}
						<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{parts(d).map(([cls, n]) => {
							const at = x, width = n > 0 ? Math.max(0.5, (100 * n) / most) : 0;
							x += width;
							return <rect key={cls} x={at} width={width} height="10" className={cls} />;
						})}</svg>
						<span className="mono">{show(d.value)}{words(d) && <span className="away"> ({words(d)})</span>}</span>
					</li>
				);
			})}</ul>
		</figure>
	);
}

function Table({ list }: { list: Spent[] }) {
	const w = useWords();
	return (
		<div className="scroll" tabIndex={0}><table className="numbers">
			<thead><tr><th>{w.when}</th><th>{w.workspace}</th><th>{w.model}</th><th>{w.sessions}</th><th>{w.calls(2).replace(/^[\d ]+/, "")}</th><th>{w.input}</th><th>{w.output}</th><th>{w.cost}</th></tr></thead>
			<tbody>{[...list].reverse().map((s) => <tr key={s.day + s.dir + s.model}><td className="mono">{s.day}</td><td className="mono">{s.dir.split("/").pop()}</td><td className="mono">{short(s.model)}</td><td className="mono">{s.sessions}</td><td className="mono">{number(s.calls)}</td><td className="mono">{number(s.usage.input ?? 0)}</td><td className="mono">{number(s.usage.output ?? 0)}</td><td className="mono">{s.usage.cost ? money(s.usage.cost) : ""}</td></tr>)}</tbody>
		</table></div>
	);
}
