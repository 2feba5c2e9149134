import { answered, dismiss, type Done } from "../store/lists";
import { useStore } from "../store/store";
import { useWords, type Words } from "../words";
import { oneLine } from "./AskCard";
import { outcome, person } from "./CallCard";
import { Copy } from "./Copy";
import { Visible } from "./Text";

// became says what became of a request.
export function became(w: Words, d: Done): string {
	if (d.answer) return outcome(w, d.answer.choice, !!d.request.intent?.questions)(person(d.answer.by, w));
	return d.by ? w.editedBy(person(d.by, w)) : d.void ? (w.void[d.void] ?? d.void) : w.gone;
}

// NotSent shows what was written for requests, of one session or of all, that others answered meanwhile.
export function NotSent({ session }: { session?: string }) {
	const w = useWords();
	return useStore(answered).filter((d) => d.written && (!session || d.request.root === session)).map((d) => (
		<section key={d.request.hash + d.time} className="batch notsent" role="status">
			<p><span className="tag waits">{w.unsent}</span> {w.writtenFor} <span className="mono"><Visible text={oneLine(d.request).slice(0, 200)} /></span>: {became(w, d)}</p>
			{d.written?.map((text, n) => <div key={n} className="written"><pre className="command" tabIndex={0}><Visible text={text} /></pre><Copy text={text} /></div>)}
			<div className="buttons"><button type="button" onClick={() => dismiss(d)}>{w.dismiss}</button></div>
		</section>
	));
}
