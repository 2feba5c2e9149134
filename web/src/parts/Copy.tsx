import { Check, Copy as Icon, X } from "lucide-react";
import { useState } from "react";
import { useWords } from "../words";

// Copy copies text and says so only when it did. Without a secure connection the browser has no clipboard: then a selected
// field is copied.
export function Copy({ text }: { text: string }) {
	const w = useWords();
	const [state, set] = useState<"" | "copied" | "failed">("");
	const done = (ok: boolean) => {
		set(ok ? "copied" : "failed");
		window.setTimeout(() => set(""), 1500);
	};
	const copy = () => {
		if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done(true), () => done(old(text)));
		else done(old(text));
	};
	const label = state === "copied" ? w.copied : state === "failed" ? w.copyFailed : w.copy;
	return (
		<button type="button" className="icon copy" onClick={copy} aria-label={label} title={label}>
			{state === "copied" ? <Check size={14} /> : state === "failed" ? <X size={14} /> : <Icon size={14} />}
		</button>
	);
}

function old(text: string): boolean {
	const field = document.createElement("textarea");
	field.value = text;
	field.className = "away";
	document.body.append(field);
	field.select();
	const ok = document.execCommand("copy");
	field.remove();
	return ok;
}
