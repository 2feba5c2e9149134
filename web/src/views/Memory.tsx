import { useEffect, useState } from "react";
import { Link } from "wouter";
import { call, type Memory } from "../api/client";
import { Empty } from "../parts/Card";
import { inDir, useAction, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Sheet } from "../parts/Sheet";
import { Visible } from "../parts/Text";
import { forget, useChange } from "../store/drafts";
import { may, seesAll } from "../store/lists";
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
	const [writing, setWriting] = useState(false);
	const all = kept.data ?? [];
	const waiting = text ? [] : (proposed.data ?? []);
	return (
		<>
			<Head title={w.memory} sub={kept.data && !text ? String(all.length) : ""}><WorkspaceChoice />{may("operator") && <button type="button" onClick={() => setWriting(true)}>{w.remember.add}</button>}</Head>
			<div className="page">
				{writing && <Write dir={dir} onClose={() => setWriting(false)} onDone={() => (setWriting(false), reload())} />}
				<Failure error={problem ?? kept.problem ?? proposed.problem} />
				<input id="search" type="search" className="search" value={search} placeholder={w.search} aria-label={w.search} onChange={(e) => setSearch(e.target.value)} />
				{waiting.length > 0 && <section className="proposed"><h2>{w.remember.proposed}</h2><p className="note">{w.remember.proposedHelp}</p><Entries all={waiting} dir={dir} reload={reload} busy={busy} forget={forget} confirm={confirm} /></section>}
				{kept.data && all.length === 0 && (text ? <Empty title={w.remember.noHits} /> : waiting.length === 0 && <Empty title={w.remember.empty} more={w.remember.emptyMore} />)}
				<Entries all={all} dir={dir} reload={reload} busy={busy} forget={forget} />
			</div>
		</>
	);
}

// Write is the form for a new entry, or for another text of one.
function Write({ dir, entry: m, onClose, onDone }: { dir: string; entry?: Memory; onClose: () => void; onDone: () => void }) {
	const w = useWords();
	const x = w.remember;
	const { busy, problem, run } = useAction();
	const key = `memory ${m ? m.id : dir}`;
	const now = { text: m?.text ?? "", tags: (m?.tags ?? []).join(" "), category: m?.category ?? "knowledge", scope: "project" };
	const [{ text, tags, category, scope }, change, meanwhile] = useChange(key, now);
	const body = { dir, text: text.trim(), category, tags: tags.split(/[\s,，]+/).filter(Boolean) };
	return (
		<Sheet title={m ? x.edit : x.add} onClose={onClose} wide>
			<form className="form" onSubmit={(e) => (e.preventDefault(), void run(() => (m ? call("PUT", `/memory/${m.id}`, { ...body, was: m.text }) : call("POST", "/memory", { ...body, scope }))).then((ok) => ok && (forget(key), onDone())))}>
				<label>{x.text}<textarea autoFocus rows={4} required maxLength={4096} value={text} onChange={(e) => change({ text: e.target.value })} /></label>
				<div className="two">
					<label>{x.kind}<select value={category} onChange={(e) => change({ category: e.target.value })}>{["knowledge", "preference", "task", "skill"].map((c) => <option key={c} value={c}>{x.categories[c] ?? c}</option>)}</select></label>
					<label>{x.tags}<input maxLength={400} value={tags} onChange={(e) => change({ tags: e.target.value })} /></label>
				</div>
				{!m && seesAll() && <label>{x.scope}<select value={scope} onChange={(e) => change({ scope: e.target.value })}>{["project", "user"].map((v) => <option key={v} value={v}>{x.scopes[v]}</option>)}</select></label>}
				{meanwhile && m && <div className="warning" role="status"><p>{w.meanwhile}</p><p><Visible text={m.text} /> · {x.categories[m.category] ?? m.category}{now.tags && <> · <Visible text={now.tags} /></>}</p></div>}
				<p className="note">{x.writeHelp}</p>
				<Failure error={problem} />
				<div className="buttons"><button type="submit" className="main" disabled={busy || !text.trim()}>{w.save}</button><button type="button" className="plain" onClick={() => (forget(key), onClose())}>{w.cancel}</button></div>
			</form>
		</Sheet>
	);
}

function Entries({ all, dir, reload, busy, forget, confirm }: { all: Memory[]; dir: string; reload: () => void; busy: boolean; forget: (m: Memory) => void; confirm?: (m: Memory) => void }) {
	const w = useWords();
	const x = w.remember;
	const [sure, setSure] = useState(0);
	const [edited, setEdited] = useState<Memory>();
	const changes = (m: Memory) => may("operator") && (m.scope === "project" || seesAll());
	return (
		<>{edited && <Write dir={dir} entry={edited} onClose={() => (setEdited(undefined), reload())} onDone={() => (setEdited(undefined), reload())} />}
		<ul className="memories">
			{all.map((m) => (
				<li key={m.id}>
					<p><Visible text={m.text} /></p>
					<div className="foot">
						<span className="tag">{x.scopes[m.scope]}</span><span className="tag">{x.categories[m.category] ?? m.category}</span>{(m.tags ?? []).map((t) => <span key={t} className="tag sub">{t}</span>)}
						<span className="dim">{dateTime(m.created)}{m.session && <> · <Link href={"/s/" + m.session} className="link">{x.session}</Link></>}{m.expires && !m.expires.startsWith("0001") && <> · {x.until(dateTime(m.expires))}</>}</span>
						{m.why && <span className="dim">{x.read}: <Visible text={m.why} /></span>}
						<span className="gap" />
						{may("operator") && !changes(m) && <span className="dim">{w.seesSome}</span>}
						{confirm && <button type="button" disabled={!changes(m) || busy} onClick={() => confirm(m)}>{x.confirm}</button>}
						<button type="button" className="plain" disabled={!changes(m) || busy} onClick={() => setEdited(m)}>{x.change}</button>
						{sure === m.id ? <button type="button" className="no full" disabled={busy} onClick={() => forget(m)}>{x.forgetNow}</button>
							: <button type="button" className="plain" disabled={!changes(m) || busy} onClick={() => setSure(m.id)}>{x.forget}</button>}
					</div>
				</li>
			))}
		</ul></>
	);
}
