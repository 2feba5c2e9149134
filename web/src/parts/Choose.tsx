import { useState } from "react";
import { best } from "../store/match";
import { useWords } from "../words";
import { Sheet } from "./Sheet";

// Choice is one thing to choose, with a word about it.
export interface Choice { name: string; more?: string }

// Choose lets the user choose one of many by a few letters. own, where it is given, takes what was written and is not in the list.
export function Choose<T extends Choice>({ title, all, onChoose, onClose, own, note }: { title: string; all: T[]; onChoose: (c: T) => void; onClose: () => void; own?: (text: string) => void; note?: string }) {
	const w = useWords();
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const shown = best(all, text, 12);
	const take = (c: T | undefined) => {
		if (!c && !(own && text.trim())) return;
		onClose();
		if (c) onChoose(c);
		else own?.(text.trim());
	};
	return (
		<Sheet title={title} onClose={onClose} wide>
			<input
				type="text" role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant={shown[at] ? "found" + at : undefined} aria-label={title} value={text} autoFocus spellCheck={false}
				onChange={(e) => (setText(e.target.value), setAt(0))}
				onKeyDown={(e) => {
					if (e.key === "ArrowDown" || e.key === "ArrowUp") {
						e.preventDefault();
						setAt((i) => (i + (e.key === "ArrowDown" ? 1 : -1) + shown.length) % Math.max(1, shown.length));
					} else if (e.key === "Enter" && !e.nativeEvent.isComposing) {
						e.preventDefault();
						take(shown[at]);
					}
				}}
			/>
			<ul id="found" role="listbox" aria-label={title} className="found">
				{shown.map((c, i) => <li key={i} id={"found" + i} role="option" aria-selected={i === at} onClick={() => take(c)}><span className="one">{c.name}</span><span className="dim">{c.more}</span></li>)}
			</ul>
			{shown.length === 0 && <p className="note">{own && text.trim() ? w.useOwn(text.trim()) : (note ?? w.noneFits)}</p>}
		</Sheet>
	);
}
