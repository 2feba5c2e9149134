import { useEffect, useState } from "react";
import { call, type File, type Undone } from "../api/client";
import { said, useWords } from "../words";
import { Diff, hunks } from "./Diff";
import { Failure } from "./Failure";
import { Sheet } from "./Sheet";
import { Visible } from "./Text";

// counted reports whether lines of a file are counted: of one that is no text, too large, or hidden none are.
export const counted = (f: File) => f.added + f.removed > 0;

// Back says what to take back: the changes of a call, of the last calls, or all since a message; redo takes back undos.
export type Back = { call: string } | { last: number; redo?: true } | { message: number };

// usePlan asks what taking back would do. A plan that has nothing is no problem. act does what was shown, and says what of it did not work: the server refuses when the
// files have changed since.
export function usePlan(session: string, what: Back) {
	const [plan, setPlan] = useState<Undone | null>(null);
	const [problem, setProblem] = useState<unknown>(null);
	const w = useWords();
	const ask = (hash?: string) => call<Undone>("POST", `/sessions/${session}/undo`, { ...what, ...(hash ? { hash } : {}) });
	const look = () => ask().then(setPlan, (e) => ((e as { kind?: string }).kind === "nothing" ? setPlan({ hash: "", done: false, files: [], conflicts: [] }) : setProblem(e)));
	useEffect(() => void look(), []); // eslint-disable-line
	async function act(): Promise<boolean> {
		setProblem(null);
		try {
			const { failed } = await ask(plan?.hash);
			if (failed?.length) throw new Error(w.undoFailed(failed.join(", ")));
			return true;
		} catch (e) {
			setProblem(e);
			void ask().then(setPlan, () => undefined);
			return false;
		}
	}
	return { plan, problem, act };
}

// PlanView shows the files of a plan, and those that stay because they were changed since.
export function PlanView({ plan }: { plan: Undone }) {
	const w = useWords();
	return (
		<>
			{(plan.running ?? []).map((text) => <p key={text} className="note"><Visible text={said(w, text)} /></p>)}
			{plan.files.map((f) => <div key={f.path} className="call"><p className="mono path"><Visible text={f.path} name /> {counted(f) ? `+${f.added} −${f.removed}` : <span className="tag quiet">{w.filesView.what[f.what] ?? f.what}</span>}</p>{f.diff && <Diff diff={hunks(f.diff)} path={f.path} />}</div>)}
			{plan.conflicts.length > 0 && <div><p>{w.undoKept}</p><ul>{plan.conflicts.map((c) => <li key={c.path}><span className="mono"><Visible text={c.path} name /></span> <span className="dim"><Visible text={said(w, c.why)} /></span></li>)}</ul></div>}
		</>
	);
}

// UndoSheet shows what taking back would do, and does it when the user agrees.
export function UndoSheet({ session, what, onClose }: { session: string; what: Back; onClose: (done: boolean) => void }) {
	const w = useWords();
	const { plan, problem, act } = usePlan(session, what);
	const [busy, setBusy] = useState(false);
	async function go() {
		setBusy(true);
		if (await act()) onClose(true);
		setBusy(false);
	}
	const files = plan?.files.length ?? 0;
	const redo = "redo" in what;
	return (
		<Sheet title={redo ? w.redoTitle : w.undoTitle} onClose={() => onClose(false)} wide>
			{plan && <PlanView plan={plan} />}
			{plan && files === 0 && <p className="note">{w.undoNothing}</p>}
			<Failure error={problem} />
			<div className="buttons"><button type="button" className="main" disabled={busy || files === 0} onClick={() => void go()}>{redo ? w.redoTitle : files ? w.undoNow(files) : w.undoTitle}</button><button type="button" className="plain" onClick={() => onClose(false)}>{w.cancel}</button></div>
		</Sheet>
	);
}
