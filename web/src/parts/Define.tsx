import { useEffect, useState } from "react";
import { away, call, type Defined } from "../api/client";
import { forget, useChange } from "../store/drafts";
import { may, seesAll } from "../store/lists";
import { useWords } from "../words";
import { useAction } from "./Data";
import { Failure } from "./Failure";
import { Sheet } from "./Sheet";
import { Visible } from "./Text";

const template = {
	agents: (name: string) => `---\nname: ${name}\ndescription: \ntools: [read_file, grep, glob]\nmode: read-only\n---\n`,
	skills: (name: string) => `---\nname: ${name}\ndescription: \n---\n`,
};

// Define is the form for a file of the user's own that defines a kind of sub-agent or a skill. The server checks the text while it is written.
export function Define({ kind, dir, name: given, was, onClose, onDone }: { kind: "agents" | "skills"; dir: string; name?: string; was?: string; onClose: () => void; onDone: () => void }) {
	const w = useWords();
	const x = w.define;
	const save = useAction();
	const key = `${kind} ${given ?? ""}`;
	const [{ name, text }, set, meanwhile] = useChange(key, { name: given ?? "", text: was ?? template[kind]("") });
	const [found, setFound] = useState<Defined | Error | null>(null);
	const [sure, setSure] = useState(false);
	const body = JSON.stringify({ dir, text, ...(was ? { was } : {}) });
	const named = /^[a-z0-9][a-z0-9-]{0,63}$/.test(name);
	const ready = named && text !== was;
	useEffect(() => {
		setFound(null);
		if (!ready) return;
		const stop = new AbortController();
		const t = window.setTimeout(() => void call<Defined>("PUT", `/${kind}/${name}`, { ...JSON.parse(body), check: true }, stop.signal).then(setFound, (e) => !stop.signal.aborted && setFound(e as Error)), 400);
		return () => (clearTimeout(t), stop.abort());
	}, [kind, name, body, ready]);
	const rename = (to: string) => set({ name: to, text: text === template[kind](name) ? template[kind](to) : text });
	const done = (ok: boolean) => ok && (forget(key), onDone());
	const wrong = found instanceof Error && !away(found); // where nobody answered, saving checks it
	return (
		<Sheet title={given ?? x.add[kind]} onClose={onClose} wide>
			<form className="form" onSubmit={(e) => (e.preventDefault(), void save.run(() => call("PUT", `/${kind}/${name}`, JSON.parse(body))).then(done))}>
				{!given && <label>{x.name}<input autoFocus required className="mono" maxLength={64} pattern="[a-z0-9][a-z0-9-]*" spellCheck={false} value={name} onChange={(e) => rename(e.target.value)} /></label>}
				<div role="status">{name && !named && <p className="failure">{x.nameRule}</p>}</div>
				<label>{x.text}<textarea className="mono" rows={14} spellCheck={false} required maxLength={65_536} value={text} onChange={(e) => set({ text: e.target.value })} /></label>
				{meanwhile && was && <div className="warning" role="status"><p>{w.meanwhile}</p><pre className="mono"><Visible text={was} /></pre></div>}
				<div role="status">{found instanceof Error ? <Failure error={found} /> : found?.notes.length ? <ul className="warnings">{found.notes.map((n) => <li key={n} className="warning"><Visible text={n} /></li>)}</ul> : <p className="note">{found ? <span className="good">{x.fits}</span> : x.help[kind]}</p>}</div>
				<p className="note">{x.where}</p>
				<Failure error={save.problem} />
				<div className="buttons">
					<button type="submit" className="main" disabled={save.busy || !ready || wrong}>{w.save}</button><button type="button" className="plain" onClick={() => (forget(key), onClose())}>{w.cancel}</button>
					<span className="gap" />
					{given && was && (sure ? <button type="button" className="no full" disabled={save.busy} onClick={() => void save.run(() => call("POST", `/${kind}/${given}/delete`, { dir, was })).then(done)}>{x.deleteNow}</button>
						: <button type="button" className="no" disabled={save.busy} onClick={() => setSure(true)}>{x.delete}</button>)}
				</div>
			</form>
		</Sheet>
	);
}

// AddDefinition is the button for a new one.
export function AddDefinition({ kind, dir, onDone }: { kind: "agents" | "skills"; dir: string; onDone: () => void }) {
	const w = useWords();
	const [open, setOpen] = useState(false);
	if (!may("operator")) return null;
	return <><button type="button" disabled={!seesAll()} title={seesAll() ? undefined : w.seesSome} onClick={() => setOpen(true)}>{w.define.add[kind]}</button>{open && <Define kind={kind} dir={dir} onClose={() => setOpen(false)} onDone={() => (setOpen(false), onDone())} />}</>;
}

// EditDefinition is the button that opens one of the user's own.
export function EditDefinition({ kind, dir, name, own, onDone }: { kind: "agents" | "skills"; dir: string; name: string; own: string | undefined; onDone: () => void }) {
	const w = useWords();
	const [open, setOpen] = useState(false);
	if (!own || !may("operator") || !seesAll()) return null;
	return <footer><div className="buttons"><button type="button" onClick={() => setOpen(true)}>{w.rulesView.edit}…</button></div>{open && <Define kind={kind} dir={dir} name={name} was={own} onClose={() => (setOpen(false), onDone())} onDone={() => (setOpen(false), onDone())} />}</footer>;
}
