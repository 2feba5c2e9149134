import { useState } from "react";
import { Link } from "wouter";
import type { Step } from "../api/client";
import { byTime, may, sessions } from "../store/lists";
import { useStore } from "../store/store";
import { dateTime, useWords } from "../words";
import { Empty } from "./Card";
import { useData, useFresh } from "./Data";
import { Failure } from "./Failure";
import { Knot } from "./Knot";
import { Visible } from "./Text";
import { UndoSheet, type Back } from "./Undo";

// without leaves out folders of which a file is there too.
const without = (files: Step["files"]) => files.filter((f) => !files.some((x) => x.path.startsWith(f.path + "/")));

// UndoPoints are the states to which the files of a session can go back: one before each call that changed files, the newest first.
export function UndoPoints({ dir, session, show }: { dir: string; session: string; show: (p: Record<string, string>) => void }) {
	const w = useWords();
	const all = byTime(useStore(sessions)).filter((s) => s.dir === dir);
	const id = session || (all[0]?.id ?? "");
	const { data, problem, reload } = useData<Step[]>(id && `/sessions/${id}/steps`);
	useFresh(reload, all.filter((s) => s.id === id));
	const [back, setBack] = useState<Back | null>(null);
	const steps = (data ?? []).toReversed();
	// The calls that still count, from this point on: an undo and what it took back do not.
	const last = steps.find((s) => s.undo && !s.redo && !s.undone); // the undo that a redo takes back
	const since = (i: number) => steps.slice(0, i + 1).filter((s) => !s.undo && !s.undone).length;
	return (
		<>
			<div className="choose">
				<select aria-label={w.filesView.chooseSession} value={id} onChange={(e) => show({ show: "undo", session: e.target.value })}>
					{id && !all.some((s) => s.id === id) && <option value={id}>{id}</option>}
					{all.slice(0, 100).map((s) => <option key={s.id} value={s.id}>{s.title || s.id}</option>)}
				</select>
				{id && <Link href={"/s/" + id} className="link">{w.filesView.openSession}</Link>}
			</div>
			{steps.length > 0 && <p className="note">{w.filesView.toFiles}</p>}
			<Failure error={problem} />
			{(data ? steps.length === 0 : !id) && <Empty title={w.filesView.noSteps} more={w.filesView.noStepsMore} />}
			<ol className="points">
				{steps.map((s, i) => (
					<li key={s.number} className={s.undo || s.undone ? "past" : ""}>
						<Knot state={s.undo || s.undone ? "quiet" : "done"} />
						<div>
							<p><span className="dim">{w.filesView.before}</span> <span className="mono"><Visible text={s.title || s.call} /></span> {s.undo ? <span className="tag quiet">{s.redo ? w.filesView.wasRedo : w.filesView.wasUndo}</span> : s.undone ? <span className="tag quiet">{w.filesView.wasUndone}</span> : null}</p>
							<ul className="note"><li><time dateTime={s.time}>{dateTime(s.time)}</time></li>{without(s.files).slice(0, 8).map((f) => <li key={f.path}><span className="mono"><Visible text={f.path} name /></span> {w.filesView.what[f.what] ?? f.what}</li>)}{s.files.length > 8 && <li>{w.filesView.changesCount(s.files.length)}</li>}</ul>
						</div>
						{may("operator") && s === last && <span className="buttons"><button type="button" className="link" onClick={() => setBack({ last: 1, redo: true })}>{w.redo}</button></span>}
						{may("operator") && !s.undo && !s.undone && (
							<span className="buttons">
								<button type="button" className="link" onClick={() => setBack({ call: s.call })}>{w.undo}</button>
								{since(i) > 1 && <button type="button" className="link" onClick={() => setBack({ last: since(i) })}>{w.filesView.since}</button>}
							</span>
						)}
					</li>
				))}
			</ol>
			{back && <UndoSheet session={id} what={back} onClose={(done) => (setBack(null), done && reload())} />}
		</>
	);
}
