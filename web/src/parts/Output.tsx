import { memo, useEffect, useMemo, useRef, useState } from "react";
import { base, Problem } from "../api/client";
import { size, useWords } from "../words";
import { useAction } from "./Data";
import { Failure } from "./Failure";
import { Terminal } from "./Text";

const shownLines = 12; // of an output that is closed
const widest = 2000; // characters of a line
const chunk = 200; // lines that the browser lays out together
const lineHeight = 1.52; // of .output .scroll

// Output shows what a program wrote: the last lines, or all in chunks that the browser draws only when they are seen. With begins it is
// the first lines: of a file or a list. Of an output that was cut, the text is a part. Sentences are wrapped.
export const Output = memo(function Output({ text, live, label, whole, begins, part, sentences }: { text: string; live?: boolean; label: string; whole?: boolean; begins?: boolean; part?: boolean; sentences?: boolean }) {
	const w = useWords();
	const [open, set] = useState(!!whole);
	const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
	if (!text) return null;
	const shown = open ? lines : begins ? lines.slice(0, shownLines) : lines.slice(-shownLines);
	const chunks: string[][] = [];
	for (let i = 0; i < shown.length; i += chunk) chunks.push(shown.slice(i, i + chunk));
	const first = open || begins ? 0 : lines.length - shown.length;
	const before = !open && !begins && first > 0; // the lines that are not shown
	const toggle = (name: string) => <button type="button" className="link" onClick={() => set(!open)} aria-expanded={open}>{name}</button>;
	return (
		<div className="output">
			{before && toggle(part ? w.earlierOfPart(first) : w.earlierLines(first))}
			<div className={`scroll${open ? " tall" : ""}${sentences ? " sentences" : ""}`} tabIndex={0} role="region" aria-label={label} aria-live={live ? "off" : undefined}>
				{chunks.map((c, i) => <Chunk key={first + i * chunk} lines={c} near={sentences || chunks.length < 10} />)}
			</div>
			{!before && lines.length > shownLines && toggle(open ? w.fewerLines : w.allLines(lines.length))}
		</div>
	);
});

// Chunk is some lines of an output. It makes them when it comes near what is seen: a browser has no room for all lines of the largest outputs.
function Chunk({ lines, near: given }: { lines: string[]; near?: boolean | undefined }) {
	const w = useWords();
	const box = useRef<HTMLDivElement>(null);
	const [near, setNear] = useState(!!given);
	useEffect(() => {
		const e = box.current;
		if (near || !e) return;
		const o = new IntersectionObserver((all) => all.some((x) => x.isIntersecting) && setNear(true), { root: e.parentElement, rootMargin: "1000px 0px" });
		o.observe(e);
		return () => o.disconnect();
	}, [near]);
	return (
		<div ref={box} className="chunk" style={given ? undefined : { height: `${lines.length * lineHeight}em` }}>
			{near && lines.map((l, n) => <div key={n} className="l"><Terminal text={lastPart(l).slice(0, widest)} />{lastPart(l).length > widest && <span className="dim">{w.lineCut(lastPart(l).length - widest)}</span>}</div>)}
		</div>
	);
}

const mostShown = 16e6; // bytes that the server gives

// CutOutput offers the whole of an output of which the result has only a part.
export function CutOutput({ session, call: id, total, label }: { session: string; call: string; total: number; label: string }) {
	const w = useWords();
	const [text, setText] = useState("");
	const { busy, problem, run } = useAction();
	const path = `${base}v1/sessions/${session}/outputs/${encodeURIComponent(id)}`;
	const open = () => run(async () => {
		const r = await fetch(path);
		const body = await r.text();
		if (!r.ok) throw new Problem(r.status, String(JSON.parse(body).type ?? "").replace("urn:rein:problem:", ""), r.statusText);
		setText(body);
	});
	if (text) return <Output text={text} label={label} whole />;
	return (
		<div className="cut">
			<button type="button" className="link" disabled={busy} aria-expanded={false} onClick={() => void open()}>{busy ? w.loading : w.wholeOutput(size(total))}</button>
			<a className="link" href={path} download>{w.download}</a>
			{total > mostShown && <span className="note">{w.outputBegins(size(mostShown))}</span>}
			<Failure error={problem} />
		</div>
	);
}

// lastPart is what a terminal would leave of a line that a program wrote several times.
function lastPart(l: string): string {
	const end = l.endsWith("\r") ? l.slice(0, -1) : l;
	return end.slice(end.lastIndexOf("\r") + 1);
}
