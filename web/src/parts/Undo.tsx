import { useEffect, useState } from "react";
import { call, type Undone } from "../api/client";
import { useWords } from "../words";
import { Diff } from "./Diff";
import { Failure } from "./Failure";
import { Sheet } from "./Sheet";
import { Visible } from "./Text";

// UndoSheet shows what taking back would do, and does exactly that: the server refuses when the files have changed since.
export function UndoSheet({ session, id, onClose }: { session: string; id: string; onClose: (done: boolean) => void }) {
	const w = useWords();
	const [plan, setPlan] = useState<Undone | null>(null);
	const [problem, setProblem] = useState<unknown>(null);
	const [busy, setBusy] = useState(false);
	const ask = (hash?: string) => call<Undone>("POST", `/sessions/${session}/undo`, { call: id, ...(hash ? { hash } : {}) });
	useEffect(() => void ask().then(setPlan, setProblem), []); // eslint-disable-line
	async function act() {
		setBusy(true);
		setProblem(null);
		try {
			await ask(plan?.hash);
			onClose(true);
		} catch (e) {
			setProblem(e);
			ask().then(setPlan, () => undefined);
		}
		setBusy(false);
	}
	const files = plan?.files ?? [], conflicts = plan?.conflicts ?? [];
	return (
		<Sheet title={w.undoTitle} onClose={() => onClose(false)} wide>
			{files.map((f) => <div key={f.path} className="call"><p className="mono path"><Visible text={f.path} /> +{f.added} −{f.removed}</p>{f.diff && <Diff diff={hunks(f.diff)} path={f.path} />}</div>)}
			{conflicts.length > 0 && <div><p>{w.undoKept}</p><ul>{conflicts.map((c) => <li key={c.path}><span className="mono">{c.path}</span> <span className="dim">{c.why}</span></li>)}</ul></div>}
			<Failure error={problem} />
			<div className="buttons"><button type="button" className="main" disabled={busy || files.length === 0} onClick={() => void act()}>{w.undoNow(files.length)}</button><button type="button" className="plain" onClick={() => onClose(false)}>{w.cancel}</button></div>
		</Sheet>
	);
}

// hunks leaves the names of the files out of a diff.
function hunks(diff: string): string {
	return diff.replace(/^(---|\+\+\+) .*\n/gm, "");
}
