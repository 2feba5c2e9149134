import { useEffect, useState } from "react";
import { Link } from "wouter";
import { away, call, type Problem, type Explained, type Rule, type Rules, type RuleChanged, type Simulated } from "../api/client";
import { Empty, Facts } from "../parts/Card";
import { inDir, useAction, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Ticks, Visible } from "../parts/Text";
import { useDraft } from "../store/drafts";
import { may, seesAll } from "../store/lists";
import { reasonOf, useWords } from "../words";

const decisions = ["deny", "ask", "allow"] as const;
const tag = (d: string) => (d === "allow" ? "tag done" : d === "ask" ? "tag waits" : "tag bad");

// Draft is the rule in the form: a new one, or what replaces one of the user's.
// match and not_match are its tests, one on each line.
interface Draft { decision: string; rule: string; scope: string; match: string; not_match: string; why: string; was?: Rule }
const fresh: Draft = { decision: "ask", rule: "", scope: "project", match: "", not_match: "", why: "" };
const lines = (text: string) => text.split("\n").map((x) => x.trim()).filter(Boolean);

export default function RulesView() {
	const dir = useDir();
	return <RulesOf key={dir} dir={dir} />; // what is written for one workspace is not kept in another
}

function RulesOf({ dir }: { dir: string }) {
	const w = useWords();
	const { data, problem, reload } = useData<Rules>(inDir("/rules", dir));
	const [draft, setDraft] = useDraft<Draft>("rule " + dir, () => fresh);
	const remove = useAction();
	const [removed, setRemoved] = useState(false);
	const edit = (r: Rule) => {
		setDraft({ decision: r.decision, rule: r.rule, scope: scopeOf(r), match: (r.match ?? []).join("\n"), not_match: (r.not_match ?? []).join("\n"), why: r.why ?? "", was: r });
		document.getElementById("rule")?.focus();
	};
	return (
		<>
			<Head title={w.rules} sub={data ? String(data.rules.length) : ""}><WorkspaceChoice /></Head>
			<div className="page rules">
				<p className="dim lead">{w.rulesView.help}</p>
				<div role="status">{removed && <p className="note">{w.rulesView.removed}</p>}</div>
				<Failure error={problem ?? remove.problem} />
				<div className="columns">
					<div className="stack">
						{data?.rules.length === 0 && <Empty title={w.rulesView.empty} more={may("operator") ? w.rulesView.emptyMore : w.rulesView.emptyRead} />}
						{data && decisions.map((d) => {
							const list = data.rules.filter((r) => r.decision === d);
							return list.length > 0 && (
								<section key={d} className="rulelist" aria-label={w.rulesView.decision[d]}>
									<h2><span className={tag(d)}>{w.rulesView.decision[d]}</span> <span className="dim">{list.length}</span></h2>
									<ul>{list.map((r) => <OneRule key={r.source + r.rule} rule={r} on={draft.was === r} busy={remove.busy} onEdit={() => edit(r)} onRemove={() => void remove.run(() => takeAway(dir, r)).then((ok) => (setRemoved(ok), reload()))} />)}</ul>
								</section>
							);
						})}
						{data && data.warnings.length > 0 && <section className="warnings"><h2>{w.rulesView.warnings}</h2><ul>{data.warnings.map((x, i) => <li key={i}><Visible text={x.text} /> <span className="mono dim">{x.source}</span></li>)}</ul></section>}
					</div>
					<div className="stack">
						{may("operator") && <Editor draft={draft} dir={dir} onChange={setDraft} onDone={reload} files={data} />}
						<Simulate dir={dir} draft={draft} onUse={(rule) => setDraft({ ...fresh, decision: "allow", rule })} />
						<Explain dir={dir} />
					</div>
				</div>
			</div>
		</>
	);
}

const scopeOf = (r: Rule) => (r.here ? "project" : "always");

// change keeps the rule of a draft, or only checks it. It approves calls of high severity only where the rule that it replaces does.
function change(dir: string, d: Draft, check = false): Promise<RuleChanged> {
	const high = d.was?.high_risk && d.was.rule === d.rule.trim() && d.was.decision === d.decision;
	return call<RuleChanged>("POST", "/rules", { dir, decision: d.decision, rule: d.rule.trim(), scope: d.scope, match: lines(d.match), not_match: lines(d.not_match), why: d.why.trim(), high_risk: !!high, check });
}

function takeAway(dir: string, r: Rule): Promise<RuleChanged> {
	return call<RuleChanged>("POST", "/rules", { dir, decision: r.decision, rule: r.rule, scope: scopeOf(r), remove: true });
}

function OneRule({ rule: r, on, busy, onEdit, onRemove }: { rule: Rule; on: boolean; busy: boolean; onEdit: () => void; onRemove: () => void }) {
	const w = useWords();
	const tests = (r.match ?? []).length + (r.not_match ?? []).length;
	return (
		<li className={on ? "on" : ""}>
			<code><Visible text={r.rule} /></code>
			{r.high_risk && <span className="tag high">{w.highRisk}</span>}
			<span className="dim from">{w.rulesView.layers[r.here ? "own" : r.layer] ?? r.layer} · <span className="mono" title={r.source}>{r.source.slice(r.source.lastIndexOf("/") + 1)}</span>{r.why && <> · {r.why}</>}</span>
			{tests > 0 && <details><summary>{w.rulesView.tests(tests)}</summary><ul className="tests">{(r.match ?? []).map((x) => <li key={"+" + x}><span className="tag done">{w.rulesView.covers}</span> <code><Visible text={x} /></code></li>)}{(r.not_match ?? []).map((x) => <li key={"-" + x}><span className="tag">{w.rulesView.coversNot}</span> <code><Visible text={x} /></code></li>)}</ul></details>}
			{r.mine && may("operator") && (r.here || seesAll()) && <span className="buttons"><button type="button" className="link" aria-label={`${w.rulesView.edit} ${r.rule}`} onClick={onEdit}>{w.rulesView.edit}</button><button type="button" className="link" disabled={busy} aria-label={`${w.remove} ${r.rule}`} onClick={onRemove}>{w.remove}</button></span>}
		</li>
	);
}

// Editor writes a rule. The server checks it while it is written: problems stand below the field.
function Editor({ draft, dir, onChange, onDone, files }: { draft: Draft; dir: string; onChange: (d: Draft) => void; onDone: () => void; files: Rules | null }) {
	const w = useWords();
	const { busy, problem, run } = useAction();
	const [checked, setChecked] = useState<RuleChanged | Error | null>(null);
	const [saved, setSaved] = useState(false);
	const { decision, rule, scope, match, not_match, why, was } = draft;
	const same = !!was && was.decision === decision && was.rule === rule.trim() && scopeOf(was) === scope && (was.why ?? "") === why.trim()
		&& (was.match ?? []).join("\n") === lines(match).join("\n") && (was.not_match ?? []).join("\n") === lines(not_match).join("\n");
	const write = (d: Draft) => (setSaved(false), onChange(d));
	useEffect(() => {
		setChecked(null);
		if (!rule.trim() || same) return;
		let gone = false;
		const t = window.setTimeout(() => void change(dir, draft, true).then((v) => !gone && setChecked(v), (e) => !gone && setChecked(e as Error)), 300);
		return () => ((gone = true), clearTimeout(t));
	}, [dir, draft, same]);
	// The new rule is kept before the old one goes: nothing is open in between.
	const save = () => run(async () => {
		await change(dir, draft);
		if (was) await takeAway(dir, was).catch((e: Problem) => {
			if (e.kind === "no_rule") return; // somebody else has removed it
			onChange(fresh); // to save again would add the new one twice
			throw new Error(w.rulesView.oldStays(e.message));
		});
		onChange(fresh);
		setSaved(true);
	}).then(onDone);
	const wrong = checked instanceof Error && !away(checked); // where nobody answered, saving checks it
	return (
		<section className="box">
			<h2>{was ? w.rulesView.editTitle : w.rulesView.add}</h2>
			<form onSubmit={(e) => (e.preventDefault(), void save())} onKeyDown={(e) => e.key === "Escape" && was && onChange(fresh)}>
				<input type="text" id="rule" className="mono" aria-label={w.rule} aria-invalid={wrong} aria-describedby="rulecheck" placeholder="bash(git push:*)" spellCheck={false} value={rule} maxLength={2000} onChange={(e) => write({ ...draft, rule: e.target.value })} />
				<div id="rulecheck" role="status">
					{checked instanceof Error ? <Failure error={checked} /> : checked ? <p className="note good">{w.rulesView.fits}{checked.warnings.map((x, i) => <span key={i} className="warning"> <Visible text={x.text} /></span>)}</p> : saved ? <p className="note good">{w.rulesView.added}</p> : <p className="note"><Ticks text={w.rulesView.form} /></p>}
				</div>
				<div className="line">
					<div className="segments small" role="group" aria-label={w.rulesView.decisionLabel}>{decisions.map((d) => <button key={d} type="button" className={d === decision ? "on" : ""} aria-pressed={d === decision} onClick={() => write({ ...draft, decision: d })}>{w.rulesView.decision[d]}</button>)}</div>
					<select aria-label={w.rulesView.scope} value={scope} onChange={(e) => write({ ...draft, scope: e.target.value })}><option value="project">{w.rulesView.layers.own}</option>{seesAll() && <option value="always">{w.rulesView.layers.user}</option>}</select>
				</div>
				<details open={!!match || !!not_match || !!why || undefined}>
					<summary>{w.rulesView.more}</summary>
					<div className="form">
						<label>{w.rulesView.covers}<textarea className="mono" rows={2} spellCheck={false} value={match} placeholder="git push origin main" maxLength={10_000} onChange={(e) => write({ ...draft, match: e.target.value })} /></label>
						<label>{w.rulesView.coversNot}<textarea className="mono" rows={2} spellCheck={false} value={not_match} placeholder="git pull" maxLength={10_000} onChange={(e) => write({ ...draft, not_match: e.target.value })} /></label>
						<p className="note">{w.rulesView.testsHelp}</p>
						<label>{w.rulesView.reason}<input type="text" value={why} maxLength={500} onChange={(e) => write({ ...draft, why: e.target.value })} /></label>
					</div>
				</details>
				{was?.high_risk && (was.rule !== rule.trim() || was.decision !== decision) && <p className="warning">{w.rulesView.losesHigh}</p>}
				<p className="note">{w.rulesView.keptIn} <span className="mono">{scope === "project" ? files?.project : files?.user}</span></p>
				<Failure error={problem} />
				<div className="buttons"><button type="submit" className="main" disabled={busy || !rule.trim() || wrong || same}>{w.save}</button>{was && <button type="button" className="plain" onClick={() => onChange(fresh)}>{w.cancel}</button>}</div>
			</form>
		</section>
	);
}

function Explain({ dir }: { dir: string }) {
	const w = useWords();
	const [text, setText] = useState("");
	const [mode, setMode] = useState("supervised");
	const [out, setOut] = useState<Explained | null>(null);
	const { busy, problem, run } = useAction();
	return (
		<section className="box">
			<h2>{w.rulesView.explain}</h2>
			<form onSubmit={(e) => (e.preventDefault(), void run(async () => setOut(await call<Explained>("POST", "/rules/explain", { dir, call: text, mode }))))}>
				<div className="line">
					<input type="text" id="search" className="mono" aria-label={w.rulesView.call} placeholder="git push origin main" value={text} maxLength={20_000} onChange={(e) => setText(e.target.value)} />
					<select aria-label={w.mode} value={mode} onChange={(e) => setMode(e.target.value)}>{Object.entries(w.modes).map(([k, v]) => <option key={k} value={k}>{v}</option>)}</select>
					<button type="submit" disabled={busy || !text.trim()}>{w.rulesView.explainNow}</button>
				</div>
			</form>
			<p className="note">{w.rulesView.explainHelp}</p>
			<Failure error={problem} />
			{out && (
				<div className="explained" role="status">
					<p><span className={tag(out.decision)}>{w.rulesView.decision[out.decision]}</span> {out.by ? <>{w.rulesView.by} <code><Visible text={out.by} /></code></> : <Visible text={reasonOf(w, out)} />}</p>
					<Facts rows={[
						[w.rulesView.parts, out.parts.length > 0 && <ul>{out.parts.map((p, i) => <li key={i}><code><Visible text={p.words} /></code> <span className="dim">{p.class}</span></li>)}</ul>],
						[w.does, out.effects.length > 0 && <ul>{out.effects.map((x, i) => <li key={i}><Visible text={x} /></li>)}</ul>],
						[w.rulesView.checks, out.checks.join(", "), true], [w.rule, out.rule_at, true], [w.rulesView.held, out.held, true],
						[w.rulesView.always, out.always.length > 0 && <ul>{out.always.map((x) => <li key={x}><code><Visible text={x} /></code></li>)}</ul>],
					]} />
				</div>
			)}
		</section>
	);
}

function Simulate({ dir, draft, onUse }: { dir: string; draft: Draft; onUse: (rule: string) => void }) {
	const w = useWords();
	const [days, setDays] = useState(30);
	const [out, setOut] = useState<Simulated | null>(null);
	const { busy, problem, run } = useAction();
	const rule = draft.rule.trim();
	return (
		<section className="box">
			<h2>{w.rulesView.simulate}</h2>
			<p className="note">{rule ? w.rulesView.simulateWith(`${w.rulesView.decision[draft.decision]} ${rule}`) : may("operator") ? w.rulesView.simulateHelp : w.rulesView.simulateRead}</p>
			<div className="line">
				<select aria-label={w.days(2)} value={days} onChange={(e) => setDays(Number(e.target.value))}>{[7, 30, 90, 365].map((n) => <option key={n} value={n}>{w.days(n)}</option>)}</select>
				<button type="button" disabled={busy} onClick={() => void run(async () => setOut(await call<Simulated>("POST", "/rules/simulate", { dir, days, ...(rule ? { [draft.decision]: [rule] } : {}) })))}>{busy ? w.rulesView.simulating : w.rulesView.simulateNow}</button>
			</div>
			<Failure error={problem} />
			{out && (
				<div role="status">
					<ul className="totals">
						<li><b>{out.calls}</b><span>{w.rulesView.callsOf(out.sessions)}</span></li><li><b>{out.asked}</b><span>{w.rulesView.wasAsked}</span></li>
						<li><b>{out.allow}</b><span>{w.rulesView.wouldRun}</span></li><li><b>{out.ask}</b><span>{w.rulesView.wouldAsk}</span></li><li><b>{out.deny}</b><span>{w.rulesView.wouldDeny}</span></li>
					</ul>
					{rule && out.changed.length === 0 && <p>{w.rulesView.same}</p>}
					{out.changed.length > 0 && (
						<div className="scroll" tabIndex={0} role="region" aria-label={w.rulesView.changed}>
							<table><thead><tr><th>{w.rulesView.before}</th><th>{w.rulesView.after}</th><th>{w.rulesView.call}</th><th /></tr></thead>
								<tbody>{out.changed.map((x) => <tr key={x.session + x.call}><td><span className={tag(x.before)}>{w.rulesView.decision[x.before]}</span></td><td><span className={tag(x.after)}>{w.rulesView.decision[x.after]}</span></td><td className="mono"><Visible text={(x.tool === "bash" ? "" : x.tool + " ") + x.text.slice(0, 300)} />{x.refused && <> <span className="tag bad">{w.rulesView.wasRefused}</span></>}</td><td><Link href={"/s/" + x.session}>{w.openSession}</Link></td></tr>)}</tbody></table>
						</div>
					)}
					{out.offer.length > 0 && <div className="offer"><p>{w.rulesView.offer(out.saves)}</p><ul>{out.offer.map((r) => <li key={r}><code><Visible text={r} /></code> {may("operator") && <button type="button" className="link" onClick={() => onUse(r)}>{w.rulesView.use}</button>}</li>)}</ul></div>}
					{out.more && <p className="note">{w.rulesView.bounded}</p>}
				</div>
			)}
		</section>
	);
}
