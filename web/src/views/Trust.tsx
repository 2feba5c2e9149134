import { useState } from "react";
import { call, type Trust, type TrustItem, type TrustText } from "../api/client";
import { Card, Empty } from "../parts/Card";
import { inDir, useAction, useData } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { loadTrust, may, trust } from "../store/lists";
import { useStore } from "../store/store";
import { size, useWords } from "../words";

export default function TrustView() {
	const w = useWords();
	const all = useStore(trust);
	const many = all.length > 1;
	return (
		<>
			<Head title={w.trust} />
			<div className="page">
				<p className="dim lead">{w.trusting.help}</p>
				{all.map((t) => <Folder key={t.dir} trust={t} many={many} />)}
			</div>
		</>
	);
}

function Folder({ trust: t, many }: { trust: Trust; many: boolean }) {
	const w = useWords();
	const items = t.items ?? [];
	const open = items.filter((i) => i.state !== "trusted");
	const [flipped, setFlipped] = useState<Set<string>>(new Set());
	const left = (i: TrustItem) => (i.state === "declined" || sends(i)) !== flipped.has(shownOf(i)); // what sends a secret is trusted by its own tick
	const [read, setRead] = useState<Set<string>>(new Set());
	const { busy, problem, run } = useAction();
	const chosen = open.filter((i) => !left(i));
	const can = may("operator");
	const answer = (yes: boolean) => run(async () => {
		await call<Trust>("POST", "/trust", { dir: t.dir, trust: yes, items: chosen.map(({ kind, path, sum }) => ({ kind, path, sum })) });
	}).finally(() => void loadTrust());
	const forget = () => run(() => call("POST", "/trust/forget", { dir: t.dir })).finally(() => void loadTrust());
	const toggle = (i: TrustItem) => setFlipped((s) => {
		const next = new Set(s);
		if (!next.delete(shownOf(i))) next.add(shownOf(i));
		return next;
	});
	if (items.length === 0) return many ? <section><h2 className="mono">{t.folder}</h2><p className="dim">{w.trusting.empty}</p></section> : <Empty title={w.trusting.empty} more={w.trusting.emptyMore} />;
	return (
		<Card state={t.always || open.length === 0 ? "done" : open.some((i) => i.state === "new") ? "waits" : "quiet"} title={t.folder} mono>
			<ul className="trustlist">
				{items.map((i) => (
					<li key={keyOf(i)}>
						{can && open.length > 0 && <input type="checkbox" aria-label={i.path} disabled={i.state === "trusted"} checked={i.state === "trusted" || !left(i)} onChange={() => toggle(i)} />}
						<details open={i.state === "new"} onToggle={(e) => e.currentTarget.open && setRead((all) => new Set(all).add(keyOf(i)))}>
							<summary><span className="mono"><Visible text={i.path} /></span> <span className={"tag " + ({ new: "waits", trusted: "done" }[i.state as string] ?? "")}>{w.trusting.states[i.state]}</span><span className="dim">{w.trusting.kinds[i.kind] ?? i.kind}: {w.trusting.means[i.kind]}</span></summary>
							{(i.sends ?? []).map((x) => <p key={x.server + x.variable + x.to} className={x.secret ? "failure" : "note"}><Visible text={w.trusting.sends(x.server, x.variable, x.to)} />{x.own && " " + w.trusting.own}</p>)}
							{(i.state === "new" || read.has(keyOf(i))) && <Content key={i.sum} dir={t.dir} item={i} />}
						</details>
					</li>
				))}
			</ul>
			<footer>
				{t.always ? <p className="note">{w.trusting.always}</p> : (
					<>
						{open.length > 0 && <div className="buttons"><button type="button" className="main" disabled={!can || busy || chosen.length === 0} onClick={() => void answer(true)}>{w.trusting.trust(chosen.length)}</button>
							{chosen.some((i) => i.state === "new") && <button type="button" className="no" disabled={!can || busy} onClick={() => void answer(false)}>{w.trusting.decline}</button>}</div>}
						{items.some((i) => i.state !== "new") && <div className="buttons"><button type="button" className="plain" disabled={!can || busy} onClick={() => void forget()}>{w.trusting.forget}</button></div>}
						<p className="note">{can ? w.trusting.next : w.needsRole(w.roles.operator ?? "")}</p>
					</>
				)}
				<Failure error={problem} />
			</footer>
		</Card>
	);
}

const keyOf = (i: TrustItem) => `${i.kind} ${i.path}`;
const shownOf = (i: TrustItem) => `${keyOf(i)} ${i.sum} ${i.state}`;
const sends = (i: TrustItem) => (i.sends ?? []).some((x) => x.secret && !x.own);

// Content is what an item holds.
function Content({ dir, item: i }: { dir: string; item: TrustItem }) {
	const w = useWords();
	const { data, problem } = useData<TrustText>(inDir(`/trust/text?kind=${encodeURIComponent(i.kind)}&path=${encodeURIComponent(i.path)}`, dir));
	const files = data?.files ?? [];
	return (
		<>
			<Failure error={problem} />
			{files.map((f) => (
				<figure key={f.path}>
					{files.length > 1 && <figcaption className="mono dim">{f.path}</figcaption>}
					{f.plain ? <pre className="text" tabIndex={0}><Visible text={f.text} /></pre> : <p className="note">{w.trusting.binary} {size(f.bytes)}</p>}
					{f.plain && f.cut && <p className="note">{w.trusting.beginning(size(f.bytes))}</p>}
				</figure>
			))}
		</>
	);
}
