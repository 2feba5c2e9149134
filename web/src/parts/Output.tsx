import { memo, useMemo, useState } from "react";
import { useWords } from "../words";
import { Terminal } from "./Text";

const shownLines = 12; // of an output that is closed
const widest = 2000; // characters of a line
const chunk = 200; // lines that the browser lays out together

// Output shows what a program wrote: the last lines, or all in chunks that the browser draws only when they are seen.
export const Output = memo(function Output({ text, live, label }: { text: string; live?: boolean; label: string }) {
	const w = useWords();
	const [open, set] = useState(false);
	const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
	if (!text) return null;
	const shown = open ? lines : lines.slice(-shownLines);
	const chunks: string[][] = [];
	for (let i = 0; i < shown.length; i += chunk) chunks.push(shown.slice(i, i + chunk));
	const first = open ? 0 : lines.length - shown.length;
	return (
		<div className="output">
			<div className={open ? "scroll tall" : "scroll"} tabIndex={0} role="region" aria-label={label} aria-live={live ? "off" : undefined}>
				{chunks.map((c, i) => (
					<div key={first + i * chunk} className="chunk">
						{c.map((l, n) => <div key={n} className="l"><Terminal text={lastPart(l).slice(0, widest)} />{lastPart(l).length > widest && <span className="dim">{w.lineCut(lastPart(l).length - widest)}</span>}</div>)}
					</div>
				))}
			</div>
			{lines.length > shownLines && (
				<button type="button" className="link" onClick={() => set(!open)} aria-expanded={open}>{open ? w.fewerLines : w.allLines(lines.length)}</button>
			)}
		</div>
	);
});

// lastPart is what a terminal would leave of a line that a program wrote several times.
function lastPart(l: string): string {
	const end = l.endsWith("\r") ? l.slice(0, -1) : l;
	return end.slice(end.lastIndexOf("\r") + 1);
}
