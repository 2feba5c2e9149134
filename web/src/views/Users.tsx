import { useState } from "react";
import { call, type User } from "../api/client";
import { Card, Empty, Facts } from "../parts/Card";
import { Copy } from "../parts/Copy";
import { useAction, useData } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Sheet } from "../parts/Sheet";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { workspaces } from "../store/lists";
import { useStore } from "../store/store";
import { useWords } from "../words";

export default function UsersView() {
	const w = useWords();
	const x = w.people;
	const { data, problem, reload } = useData<User[]>("/users");
	const [adding, setAdding] = useState(false);
	const add = <button type="button" className="main" onClick={() => setAdding(true)}>{x.add}</button>;
	return (
		<>
			<Head title={w.users} sub={data ? String(data.length) : ""}>{(data ?? []).length > 0 && add}</Head>
			<div className="page">
				<Failure error={problem} />
				{data?.length === 0 && <Empty title={x.empty} more={x.emptyMore}>{add}</Empty>}
				{(data ?? []).map((u) => <One key={u.name} user={u} reload={reload} />)}
			</div>
			{adding && <Add onClose={() => (setAdding(false), reload())} />}
		</>
	);
}

function One({ user: u, reload }: { user: User; reload: () => void }) {
	const w = useWords();
	const x = w.people;
	const { busy, problem, run } = useAction();
	const [sure, setSure] = useState(false);
	const remove = () => void run(() => call("DELETE", "/users/" + encodeURIComponent(u.name))).finally(reload);
	return (
		<Card state="person" title={<Visible text={u.name} />} tags={<span className="tag">{w.roles[u.role]}</span>}>
			<Facts rows={[[x.may, x.roles[u.role]], [x.sees, u.workspaces?.join(", ") ?? x.all, !!u.workspaces]]} />
			<footer><div className="buttons">{sure ? <button type="button" className="no full" disabled={busy} onClick={remove}>{x.removeNow}</button> : <button type="button" className="plain away-left" onClick={() => setSure(true)}>{x.remove}</button>}</div><Failure error={problem} /></footer>
		</Card>
	);
}

// Add is the form for a user, and then the user's key, which is shown once.
function Add({ onClose }: { onClose: () => void }) {
	const w = useWords();
	const x = w.people;
	const all = useStore(workspaces);
	const { busy, problem, run } = useAction();
	const [u, setU] = useState<User>({ name: "", role: "viewer" });
	const [only, setOnly] = useState<string[]>([]);
	const [key, setKey] = useState("");
	const add = () => void run(async () => setKey((await call<{ key: string }>("POST", "/users", { ...u, ...(only.length ? { workspaces: only } : {}) })).key));
	if (key)
		return (
			<Sheet title={x.keyOf(u.name)} onClose={onClose} stays>
				<p>{x.keyHelp}</p>
				<p className="mono key"><Visible text={key} /> <Copy text={key} /></p>
				<div className="buttons"><button type="button" className="main" onClick={onClose}>{w.close}</button></div>
			</Sheet>
		);
	return (
		<Sheet title={x.add} onClose={() => busy || onClose()} stays={busy}>
			<form className="form" onSubmit={(e) => (e.preventDefault(), add())}>
				<label>{x.name}<input autoFocus required maxLength={40} spellCheck={false} autoComplete="off" value={u.name} onChange={(e) => setU({ ...u, name: e.target.value })} /></label>
				<label>{w.role}<select value={u.role} onChange={(e) => setU({ ...u, role: e.target.value as User["role"] })}>{(["viewer", "approver", "operator"] as const).map((r) => <option key={r} value={r}>{w.roles[r]}</option>)}</select></label>
				<p className="note">{x.roles[u.role]}</p>
				{all.length > 1 && <fieldset><legend>{x.sees}</legend>{all.map((d) => <label key={d.dir} className="check"><input type="checkbox" checked={only.includes(d.dir)} onChange={(e) => setOnly(e.target.checked ? [...only, d.dir] : only.filter((o) => o !== d.dir))} /> <span className="mono">{d.dir}</span></label>)}<p className="note">{x.none}</p></fieldset>}
				<Failure error={problem} />
				<div className="buttons"><button type="submit" className="main" disabled={busy || !u.name.trim()}>{x.add}</button><button type="button" className="plain" disabled={busy} onClick={onClose}>{w.cancel}</button></div>
			</form>
		</Sheet>
	);
}
