import { useState } from "react";
import type { Request } from "../api/client";
import { drafted, forget, useDraft } from "../store/drafts";
import { editKey } from "../store/lists";
import { useWords } from "../words";
import { allVisible, Visible } from "./Text";

// EditCall changes the arguments of a call before it is approved: texts as they are, all else as JSON.
export function EditCall({ request: r, busy, onSend, onCancel }: { request: Request; busy: boolean; onSend: (args: Record<string, unknown>) => void; onCancel: () => void }) {
	const w = useWords();
	const args = r.args as Record<string, unknown>;
	const key = editKey(r);
	const [again] = useState(() => drafted(key)); // written before, in another view: the focus stays where it is
	const [written, setWritten] = useDraft<Record<string, string>>(key, () => ({})); // by the names of the arguments
	const fields = Object.entries(args).map(([name, value]) => ({ name, text: written[name] ?? (typeof value === "string" ? value : JSON.stringify(value, null, 2)), isText: typeof value === "string", before: value }));
	const cancel = () => (forget(key), onCancel());
	const read = fields.map((f) => {
		if (f.isText) return { ...f, value: f.text as unknown, wrong: false };
		try {
			return { ...f, value: JSON.parse(f.text) as unknown, wrong: false };
		} catch {
			return { ...f, value: null, wrong: true };
		}
	});
	const changed = (f: (typeof read)[number]) => f.wrong || JSON.stringify(f.value) !== JSON.stringify(f.before);
	const ready = !busy && read.some(changed) && !read.some((f) => f.wrong);
	const send = () => ready && onSend(Object.fromEntries(read.map((f) => [f.name, f.value])));
	return (
		<form className="editcall" onSubmit={(e) => (e.preventDefault(), send())} onKeyDown={(e) => (e.key === "Escape" ? cancel() : e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.nativeEvent.isComposing && (e.preventDefault(), send()))}>
			<h3>{w.editing.title}</h3>
			{read.map((f, i) => (
				<label key={f.name}>
					<span className="mono">{f.name} {changed(f) && <span className="tag waits">{f.wrong ? w.editing.notJSON : w.editing.changed}</span>}</span>
					<textarea className="mono" autoFocus={i === 0 && !again} spellCheck={false} rows={Math.min(14, f.text.split("\n").length + (f.text.length > 70 ? 1 : 0))} value={f.text}
						onChange={(e) => setWritten((all) => ({ ...all, [f.name]: e.target.value }))} />
					{!allVisible(f.text) && <pre className="mono note"><Visible text={f.text} /></pre>}
				</label>
			))}
			<p className="note">{w.editing.note}</p>
			<div className="buttons">
				<button type="submit" className="main" disabled={!ready}>{w.editing.send}</button>
				<button type="button" className="plain" onClick={cancel}>{w.cancel}</button>
			</div>
		</form>
	);
}

// canEdit reports whether a request is one whose arguments can be changed.
export function canEdit(r: Request): boolean {
	const args: unknown = r.args;
	return !!args && typeof args === "object" && !Array.isArray(args) && Object.keys(args).length > 0 && !r.intent?.questions && !r.intent?.requests_access;
}
