import type { Event } from "../api/client";
import { number, said, useWords, type Words } from "../words";
import { Visible } from "./Text";

const shownTools = 5; // of those that came, by name

// EventNote is what a hook or the reviewer did, or what changed for the model, in a line.
export function EventNote({ event: e }: { event: Event }) {
	const w = useWords();
	const bad = e.hook?.error || e.hook?.halted || e.hook?.decision === "deny";
	return <p className={"by note-line " + e.kind + (bad ? " bad" : "")}><Visible text={wording(w, e)} /></p>;
}

function wording(w: Words, e: Event): string {
	switch (e.kind) {
		case "hook": {
			const h = e.hook;
			if (!h) return e.text ?? "";
			const did = [w.decisions[h.decision ?? ""], h.changed && w.hookChanged, h.halted && w.hookHalted, h.error && w.hookFailed].filter(Boolean).join(", ");
			return [`${w.hook} ${h.name} (${h.event})`, did, h.error, h.reason, e.text].filter(Boolean).join(": ");
		}
		case "reviewed":
			return [`${w.reviewer} ${e.review?.model ?? ""}`, w.reviews[e.review?.verdict ?? ""] ?? e.review?.verdict, e.review?.reason].filter(Boolean).join(": ");
		case "tools_offered": {
			const names = (e.tools ?? []).map((t) => t.name);
			return w.toolsOffered(names.length, [...names.slice(0, shownTools), ...(names.length > shownTools ? ["…"] : [])].join(", "));
		}
		case "files_undone":
			return (e.files?.redo ? w.filesRedone : w.filesUndone)((e.files?.changes ?? []).map((c) => c.path).join(", "));
		case "forked":
			return w.forkedFrom(e.origin?.session ?? "");
		case "imported":
			return [w.importedFrom(e.origin?.program ?? e.origin?.session ?? ""), e.text].filter(Boolean).join(": ");
		case "compacted":
			return w.compacted(number(e.compaction?.before ?? 0), number(e.compaction?.after ?? 0));
		case "restarted":
			return `${w.answerRestarted}: ${said(w, e.text ?? "")}`;
	}
	return said(w, e.text ?? "");
}
