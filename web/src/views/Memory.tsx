import { useEffect, useState } from "react";
import { Link } from "wouter";
import { call, type Memory } from "../api/client";
import { Empty } from "../parts/Card";
import { inDir, useAction, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { may } from "../store/lists";
import { dateTime, useWords } from "../words";

export default function MemoryView() {
	const w = useWords();
	const dir = useDir();
	const [search, setSearch] = useState("");
	const [text, setText] = useState("");
	useEffect(() => {
		const t = window.setTimeout(() => setText(search.trim().slice(0, 200)), 200);
		return () => clearTimeout(t);
	}, [search]);
	const kept = useData<Memory[]>(inDir("/memory?q=" + encodeURIComponent(text), dir));
	const proposed = useData<Memory[]>(inDir("/memory?proposed=true", dir));
	const { busy, problem, run } = useAction();
	const reload = () => (kept.reload(), proposed.reload());
	const forget = (m: Memory) => void run(() => call("DELETE", inDir(`/memory/${m.id}`, dir))).finally(reload);
	const confirm = (m: Memory) => void run(() => call("POST", inDir(`/memory/${m.id}/confirm`, dir))).finally(reload);
	const all = kept.data ?? [];
	const waiting = text ? [] : (proposed.data ?? []);
	return (
		<>
			<Head title={w.memory} sub={kept.data && !text ? String(all.length) : ""}><WorkspaceChoice /></Head>
			<div className="page">
				<Failure error={problem ?? kept.problem ?? proposed.problem} />
				<input id="search" type="search" className="search" value={search} placeholder={w.search} aria-label={w.search} onChange={(e) => setSearch(e.target.value)} />
				{waiting.length > 0 && <section className="proposed"><h2>{w.remember.proposed}</h2><p className="note">{w.remember.proposedHelp}</p><Entries all={waiting} busy={busy} forget={forget} confirm={confirm} /></section>}
				{kept.data && all.length === 0 && (text ? <Empty title={w.remember.noHits} /> : waiting.length === 0 && <Empty title={w.remember.empty} more={w.remember.emptyMore} />)}
				<Entries all={all} busy={busy} forget={forget} />
			</div>
		</>
	);
}

function Entries({ all, busy, forget, confirm }: { all: Memory[]; busy: boolean; forget: (m: Memory) => void; confirm?: (m: Memory) => void }) {
	const w = useWords();
	const x = w.remember;
	const [sure, setSure] = useState(0);
	const can = may("operator");
	return (
		<ul className="memories">
			{all.map((m) => (
				<li key={m.id}>
					<p><Visible text={m.text} /></p>
					<div className="foot">
						<span className="tag">{x.scopes[m.scope]}</span><span className="tag">{x.categories[m.category] ?? m.category}</span>{(m.tags ?? []).map((t) => <span key={t} className="tag sub">{t}</span>)}
						<span className="dim">{dateTime(m.created)}{m.session && <> · <Link href={"/s/" + m.session} className="link">{x.session}</Link></>}{m.expires && !m.expires.startsWith("0001") && <> · {x.until(dateTime(m.expires))}</>}</span>
						{m.why && <span className="dim">{x.read}: <Visible text={m.why} /></span>}
						<span className="gap" />
						{confirm && <button type="button" disabled={!can || busy} onClick={() => confirm(m)}>{x.confirm}</button>}
						{sure === m.id ? <button type="button" className="no full" disabled={busy} onClick={() => forget(m)}>{x.forgetNow}</button>
							: <button type="button" className="plain" disabled={!can || busy} onClick={() => setSure(m.id)}>{x.forget}</button>}
					</div>
				</li>
			))}
		</ul>
	);
}
