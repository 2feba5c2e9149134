import { useEffect, useState } from "react";
import { Link } from "wouter";
import { away, call, type Problem, type NewSchedule, type Run, type Schedule } from "../api/client";
import { Card, Empty, Facts } from "../parts/Card";
import { useAction, useData, useDir } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Sheet } from "../parts/Sheet";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { forget, useDraft } from "../store/drafts";
import { inbox, may, workspaces } from "../store/lists";
import { useStore } from "../store/store";
import { dateTime, money, took, useWords, waits } from "../words";

export default function SchedulesView() {
	const w = useWords();
	const { data, problem, reload } = useData<Schedule[]>("/schedules");
	const [adding, setAdding] = useState(false);
	const can = may("operator");
	useEffect(() => {
		const t = window.setInterval(() => !document.hidden && reload(), 5000);
		return () => clearInterval(t);
	}, [reload]);
	const add = can && <button type="button" className="main" onClick={() => setAdding(true)}>{w.schedule.add}</button>;
	return (
		<>
			<Head title={w.schedules} sub={data ? String(data.length) : ""}>{(data ?? []).length > 0 && add}</Head>
			<div className="page">
				<Failure error={problem} />
				{data?.length === 0 && <Empty title={w.schedule.empty} more={w.schedule.emptyMore}>{add}</Empty>}
				{(data ?? []).map((s) => <One key={s.id} schedule={s} reload={reload} />)}
			</div>
			{adding && <Add onClose={() => setAdding(false)} onDone={() => (setAdding(false), reload())} />}
		</>
	);
}

const knot = { running: "running", waiting: "person", done: "done", failed: "refused", crashed: "refused", skipped: "quiet" } as const;

function One({ schedule: s, reload }: { schedule: Schedule; reload: () => void }) {
	const w = useWords();
	const x = w.schedule;
	const { busy, problem, run } = useAction();
	const [open, setOpen] = useState(false);
	const [sure, setSure] = useState(false);
	const can = may("operator");
	const next = s.next ?? [];
	const act = (method: string, path: string, body?: unknown) => void run(() => call(method, `/schedules/${s.id}${path}`, body)).finally(reload);
	return (
		<Card state={s.paused ? "quiet" : s.last ? knot[s.last.state] : "person"} title={<Visible text={s.name || s.prompt.split("\n")[0]?.slice(0, 80) || ""} />}
			tags={<>{s.paused ? <span className="tag">{x.paused}</span> : next.length === 0 && <span className="tag">{x.over}</span>}{s.last && <State run={s.last} />}</>}
			right={next[0] && <time className="mono" dateTime={next[0]}>{x.next} {dateTime(next[0])}</time>}>
			<Facts rows={[
				[w.when, `${s.when} (${s.zone})`, true],
				[x.task, <Visible text={s.prompt} />],
				[w.workspace, s.dir, true],
				[w.mode, w.modes[s.mode ?? ""] ?? s.mode],
				[w.model, s.model, true],
				[x.allow, s.allow?.join(", "), true],
				[x.budget, s.max_usd ? money(s.max_usd) : ""],
				[x.by, s.source && <Link href={"/s/" + s.source} className="link mono">{s.source}</Link>],
				[x.last, s.last && <LastRun run={s.last} />],
			]} />
			<details onToggle={(e) => setOpen(e.currentTarget.open)}><summary>{x.history}</summary>{open && <History of={s} next={next} />}</details>
			{can && (
				<footer><div className="buttons">
					<button type="button" disabled={busy || !!s.last && unended(s.last)} onClick={() => act("POST", "/run")}>{x.runNow}</button>
					<button type="button" disabled={busy} onClick={() => act("POST", "/pause", { paused: !s.paused })}>{s.paused ? x.resume : x.pause}</button>
					{sure ? <button type="button" className="no full" disabled={busy} onClick={() => act("DELETE", "")}>{x.removeNow}</button> : <button type="button" className="plain away-left" onClick={() => setSure(true)}>{x.remove}</button>}
				</div><Failure error={problem} /></footer>
			)}
		</Card>
	);
}

// unended: a run that waited for an approval when its server ended is continued by its session.
const unended = (r: Run) => r.state === "running" || r.state === "waiting";

// State names what a run does. Whose session waits for an answer is not said to run.
function State({ run: r }: { run: Run }) {
	const w = useWords();
	const asks = useStore(inbox).some((q) => q.root === r.session);
	if (unended(r) && asks) return <span className="tag waits">{waits(w)}</span>;
	return <span className={"tag " + ({ done: "done", running: "run", failed: "bad", crashed: "bad" }[r.state as string] ?? "")}>{w.schedule.states[r.state]}</span>;
}

function LastRun({ run: r }: { run: Run }) {
	const w = useWords();
	const ended = r.ended && !r.ended.startsWith("0001") ? r.ended : "";
	return <>{dateTime(r.began)}{ended && ` · ${took((Date.parse(ended) - Date.parse(r.began)) * 1e6)}`}{r.session && <> · <Link href={"/s/" + r.session} className="link">{w.openSession}</Link></>}{r.text && r.state !== "waiting" && <span className="clip"><Visible text={r.text} /></span>}</>;
}

// History asks again whenever the schedule was read again.
function History({ of, next }: { of: Schedule; next: string[] }) {
	const w = useWords();
	const { data, problem, reload } = useData<Run[]>(`/schedules/${of.id}/runs`);
	useEffect(reload, [of, reload]);
	return (
		<div className="history">
			<Failure error={problem} />
			{next.length > 0 && <p className="dim">{w.schedule.nextTimes}: {next.map((t) => dateTime(t)).join(" · ")}</p>}
			{data?.length === 0 && <p className="dim">{w.schedule.noRuns}</p>}
			<ul>{(data ?? []).map((r) => <li key={r.due}><State run={r} /><span><LastRun run={r} /></span></li>)}</ul>
		</div>
	);
}

const examples = ["0 7 * * 1-5", "@daily", "@weekly", "@every 90m"];

function Add({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
	const w = useWords();
	const x = w.schedule;
	const all = useStore(workspaces);
	const first = useDir();
	const [n, setN] = useDraft<NewSchedule>("schedule", () => ({ dir: first, when: "", prompt: "", zone: Intl.DateTimeFormat().resolvedOptions().timeZone }));
	const [rules, setRules] = useDraft("schedule rules", () => "");
	const [next, setNext] = useState<string[]>([]);
	const [wrong, setWrong] = useState<Problem | null>(null);
	const ofRules = wrong?.kind === "rules";
	const { busy, problem, run } = useAction();
	const drop = () => forget("schedule", "schedule rules");
	const change = (c: Partial<NewSchedule>) => setN((v) => ({ ...v, ...c }));
	const allow = rules.split("\n").map((r) => r.trim()).filter(Boolean);
	const body = { ...n, ...(allow.length ? { allow } : {}) };
	const text = JSON.stringify(body);
	useEffect(() => {
		if (!n.when.trim()) return setNext([]), setWrong(null);
		const stop = new AbortController();
		const t = window.setTimeout(() => void call<Schedule>("POST", "/schedules/check", { ...JSON.parse(text), prompt: n.prompt || "x" }, stop.signal).then((v) => (setNext(v.next ?? []), setWrong(null)), (e: Problem) => !stop.signal.aborted && (setNext([]), setWrong(away(e) ? null : e))), 300);
		return () => (clearTimeout(t), stop.abort());
	}, [text, n.when, n.prompt]);
	return (
		<Sheet title={x.add} onClose={onClose} wide>
			<form className="form" onSubmit={(e) => (e.preventDefault(), void run(() => call("POST", "/schedules", body)).then((ok) => ok && (drop(), onDone())))}>
				<label>{x.task}<textarea autoFocus rows={4} required maxLength={20_000} value={n.prompt} placeholder={x.taskHint} onChange={(e) => change({ prompt: e.target.value })} /></label>
				<div className="two">
					<label>{w.when}<input required className="mono" maxLength={200} spellCheck={false} value={n.when} placeholder="0 7 * * 1-5" onChange={(e) => change({ when: e.target.value })} /></label>
					<label>{x.zone}<input className="mono" spellCheck={false} value={n.zone ?? ""} onChange={(e) => change({ zone: e.target.value })} /></label>
				</div>
				<p className="examples">{examples.map((e) => <button key={e} type="button" className="mono" onClick={() => change({ when: e })}>{e}</button>)}</p>
				<p className="note" role="status">{wrong && !ofRules ? <span className="failure">{wrong.message}</span> : next.length ? `${x.nextTimes}: ${next.map((t) => dateTime(t)).join(" · ")}` : x.whenHelp}</p>
				<div className="two">
					<label>{x.name}<input maxLength={80} value={n.name ?? ""} onChange={(e) => change({ name: e.target.value })} /></label>
					<label>{w.mode}<select value={n.mode ?? ""} onChange={(e) => setN(({ mode: _, ...v }) => (e.target.value ? { ...v, mode: e.target.value as NonNullable<NewSchedule["mode"]> } : v))}><option value="">{w.modelDefault}</option>{Object.entries(w.modes).map(([k, v]) => <option key={k} value={k}>{v}</option>)}</select></label>
				</div>
				{all.length > 1 && <label>{w.workspace}<select value={n.dir} onChange={(e) => change({ dir: e.target.value })}>{all.map((d) => <option key={d.dir} value={d.dir}>{d.dir}</option>)}</select></label>}
				<label>{x.allow}<textarea className="mono" rows={2} spellCheck={false} value={rules} placeholder={"bash(go test:*)\nedit_file"} onChange={(e) => setRules(e.target.value)} /></label>
				<p className="note" role="status">{ofRules ? <span className="failure">{wrong.message}</span> : x.allowHelp}</p>
				<Failure error={!wrong && problem} />
				<div className="buttons"><button type="submit" className="main" disabled={busy || !!wrong || !n.when.trim() || !n.prompt.trim()}>{x.save}</button><button type="button" className="plain" onClick={() => (drop(), onClose())}>{w.cancel}</button></div>
			</form>
		</Sheet>
	);
}
