import { useState } from "react";
import { Link } from "wouter";
import type { Agent } from "../api/client";
import { Card, Empty, Facts } from "../parts/Card";
import { inDir, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { AddDefinition, EditDefinition } from "../parts/Define";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { number, useWords } from "../words";

export default function AgentsView() {
	const w = useWords();
	const dir = useDir();
	const { data, problem, reload } = useData<Agent[]>(inDir("/agents", dir));
	const [search, setSearch] = useState("");
	const shown = (data ?? []).filter((a) => `${a.name} ${a.description}`.toLowerCase().includes(search.toLowerCase()));
	return (
		<>
			<Head title={w.agents} sub={data ? String(data.length) : ""}><WorkspaceChoice /><AddDefinition kind="agents" dir={dir} onDone={reload} /></Head>
			<div className="page">
				<p className="dim lead">{w.agent_.help}</p>
				<Failure error={problem} />
				{(data ?? []).length > 8 && <input id="search" type="search" className="search" value={search} placeholder={w.search} aria-label={w.search} onChange={(e) => setSearch(e.target.value)} />}
				{data && shown.length === 0 && <Empty title={w.agent_.empty} />}
				<div className="cards">{shown.map((a) => <One key={a.name + (a.source ?? "") + a.state} agent={a} dir={dir} onDone={reload} />)}</div>
			</div>
		</>
	);
}

const few = 5; // names that are shown at first

// Names shows the first of many names, and all when the user wants them.
function Names({ of: all }: { of: string[] }) {
	const w = useWords();
	const [open, setOpen] = useState(false);
	const rest = all.length - few;
	return <>{(open ? all : all.slice(0, few)).join(", ")}{rest > 1 && <> <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? w.fewerLines : w.andMore(rest)}</button></>}</>;
}

function One({ agent: a, dir, onDone }: { agent: Agent; dir: string; onDone: () => void }) {
	const w = useWords();
	const x = w.agent_;
	return (
		<Card state={a.state === "used" ? "done" : a.state === "broken" ? "refused" : a.state === "untrusted" ? "waits" : "quiet"} title={<Visible text={a.name} />} mono
			tags={<>{a.state !== "used" && <span className={"tag " + (a.state === "broken" ? "bad" : a.state === "untrusted" ? "waits" : "")}>{x.states[a.state]}</span>}{a.background && <span className="tag sub">{w.inBackground}</span>}{a.isolation && <span className="tag sub">{x.copy}</span>}</>}
			right={<span className="mono one">{a.source ? a.source.split("/").slice(-3).join("/") : x.builtIn}</span>}>
			<p><Visible text={a.description} /></p>
			{a.state === "untrusted" && <p className="note"><Link href="/trust" className="link">{x.look}</Link></p>}
			<Facts rows={[
				[x.tools, a.tools?.length ? <Names of={a.tools} /> : x.allTools, !!a.tools?.length],
				[x.without, a.without?.length && <Names of={a.without} />, true],
				[w.mode, a.mode && (w.modes[a.mode] ?? a.mode)],
				[w.model, a.model, true],
				[x.effort, a.effort],
				[x.skills, a.skills?.join(", "), true],
				[x.limits, [a.max_turns ? w.requests(a.max_turns) : "", a.budget ? `${number(a.budget)} ${w.tokens}` : ""].filter(Boolean).join(" · ")],
				[w.problem, a.state === "broken" && a.why],
				[x.hiddenBy, a.state === "hidden" && a.why, true],
				[x.notes, a.notes?.join(" ")],
			]} />
			{a.prompt && <details><summary>{x.prompt}</summary><pre className="text" tabIndex={0}><Visible text={a.prompt} /></pre></details>}
			<EditDefinition kind="agents" dir={dir} name={a.name} own={a.own} onDone={onDone} />
		</Card>
	);
}
