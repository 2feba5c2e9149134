import { useState } from "react";
import { Link } from "wouter";
import type { Skill, Skills } from "../api/client";
import { Card, Empty, Facts } from "../parts/Card";
import { inDir, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { AddDefinition, EditDefinition } from "../parts/Define";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { useWords } from "../words";

export default function SkillsView() {
	const w = useWords();
	const dir = useDir();
	const { data, problem, reload } = useData<Skills>(inDir("/skills", dir));
	const [search, setSearch] = useState("");
	const all = data?.skills ?? [];
	const shown = all.filter((k) => search.toLowerCase().split(/\s+/).every((x) => `${k.name} ${k.about}`.toLowerCase().includes(x)));
	return (
		<>
			<Head title={w.skills} sub={data ? String(all.length) : ""}><WorkspaceChoice /><AddDefinition kind="skills" dir={dir} onDone={reload} /></Head>
			<div className="page">
				<Failure error={problem} />
				{all.length > 3 && <input id="search" type="search" className="search" value={search} placeholder={w.search} aria-label={w.search} onChange={(e) => setSearch(e.target.value)} />}
				{data && all.length === 0 && <Empty title={w.skill.empty} more={w.skill.emptyMore} />}
				{(data?.problems ?? []).map((p) => <p key={p} className="warning"><Visible text={p} /> {p.includes("trust") && <Link href="/trust" className="link">{w.trusting.look}</Link>}</p>)}
				{shown.map((k) => <One key={k.dir} skill={k} dir={dir} onDone={reload} />)}
			</div>
		</>
	);
}

const bad = (severity: string) => severity === "high" || severity === "critical";

function One({ skill: k, dir, onDone }: { skill: Skill; dir: string; onDone: () => void }) {
	const w = useWords();
	const x = w.skill;
	const found = k.findings ?? [];
	const worst = found[0]?.severity ?? "";
	return (
		<Card state={bad(worst) ? "refused" : k.changed ? "waits" : "done"} title={<Visible text={k.name} />} mono right={<span className="mono one">{k.dir.split("/").slice(-3).join("/")}</span>}
			tags={<><span className="tag">{x.from[k.from]}</span>{k.changed && <span className="tag waits">{x.changed}</span>}{found.length > 0 && <span className={"tag " + (bad(worst) ? "bad" : "waits")}>{x.findings(found.length)}</span>}{k.agent && <span className="tag sub">{w.subAgent}</span>}</>}>
			<p><Visible text={k.about} /></p>
			<Facts rows={[
				[x.call, k.hide_user ? x.onlyModel : `/${k.name} ${k.hint ?? ""}`, !k.hide_user],
				[x.loads, k.hide_model && x.onlyUser],
				[x.allowed, k.allowed?.join(", "), true],
				[x.added, k.added, true],
				[x.warnings, k.warnings?.join(" ")],
			]} />
			{found.length > 0 && (
				<details open={bad(worst)}><summary>{x.scanner}</summary><ul className="findings">
					{found.map((f, i) => <li key={i}><span className={"tag " + (bad(f.severity) ? "bad" : "waits")}>{x.severities[f.severity]}</span><span><Visible text={f.why} /> <span className="mono dim">{f.file}{f.line ? ":" + f.line : ""} {f.rule}</span>{f.text && <pre className="text" tabIndex={0}><Visible text={f.text} /></pre>}</span></li>)}
				</ul></details>
			)}
			{k.text && <details><summary>{x.text}</summary><pre className="text" tabIndex={0}><Visible text={k.text} /></pre></details>}
			<EditDefinition kind="skills" dir={dir} name={k.name} own={k.own} onDone={onDone} />
		</Card>
	);
}
