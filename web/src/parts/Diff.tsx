import { Columns2, Rows3 } from "lucide-react";
import { memo, useMemo, useState } from "react";
import type { Piece } from "../store/highlight";
import { look } from "../store/look";
import { useStore } from "../store/store";
import { useWide } from "../store/wide";
import { useWords } from "../words";
import { useColours, languageOf } from "./Code";
import { End } from "./End";
import { Visible } from "./Text";

export interface Change { path: string; from?: string; created?: boolean; deleted?: boolean; added: number; removed: number; diff: string; cut?: boolean }

interface Row { kind: "hunk" | "add" | "del" | "same"; old: number; now: number; text: string }
type Line = Row & { pieces: Piece[] };

const firstRows = 400; // of a long diff, until the user wants all
const widest = 2000; // characters of a line

// Diff shows the differences of one file, with line numbers, the colours of its language, and the changed words of a line. Where
// there is room the user may have both sides beside each other. onEnd is called when its last line was in view.
export const Diff = memo(function Diff({ diff, path, onEnd }: { diff: string; path: string; onEnd?: (path: string) => void }) {
	const w = useWords();
	const wide = useWide(1000);
	const split = useStore(look).split && wide;
	const [whole, setWhole] = useState(false);
	const rows = useMemo(() => read(diff), [diff]);
	const code = useMemo(() => rows.map((r) => r.text).join("\n"), [rows]);
	const pieces = useColours(code, languageOf(path));
	const lines = useMemo(() => coloured(rows, pieces), [rows, pieces]);
	const shown = whole ? lines : lines.slice(0, firstRows);
	return (
		<div className="diffbox">
			<div className={split ? "diff scroll halves" : "diff scroll"} tabIndex={0} role="region" aria-label={path}>
				<table>{split ? <Halves lines={shown} /> : <tbody>{shown.map((l, i) => <tr key={i} className={l.kind}><LineNumber of={l} side="old" /><LineNumber of={l} side="now" /><Sign of={l} /><td className="text"><Text of={l} /></td></tr>)}</tbody>}</table>
				{shown.length < lines.length && <button type="button" className="link" onClick={() => setWhole(true)}>{w.allLines(lines.length)}</button>}
				{shown.length === lines.length && onEnd && <End name={path} seen={onEnd} />}
			</div>
			{wide && lines.some((l) => l.kind === "same" || l.kind === "del") && <button type="button" className="icon halve" aria-pressed={split} aria-label={w.sideBySide} title={split ? w.unified : w.sideBySide} onClick={() => look.update((l) => ({ ...l, split: !l.split }))}>{split ? <Rows3 size={14} /> : <Columns2 size={14} />}</button>}
		</div>
	);
});

// Halves has what was at the left and what is at the right. A line without a partner has nothing beside it.
function Halves({ lines }: { lines: Line[] }) {
	const out = [];
	for (let i = 0; i < lines.length; ) {
		const l = lines[i]!;
		if (l.kind === "hunk") {
			out.push(<tr key={i++} className="hunk"><td className="no" aria-hidden="true" /><td className="text" colSpan={3}><Text of={l} /></td></tr>);
			continue;
		}
		if (l.kind === "same") {
			out.push(<tr key={i++} className="same"><LineNumber of={l} side="old" /><td className="text"><Text of={l} /></td><LineNumber of={l} side="now" /><td className="text"><Text of={l} /></td></tr>);
			continue;
		}
		const [dels, adds] = block(lines, i);
		for (let n = 0; n < Math.max(dels.length, adds.length); n++) {
			const d = dels[n], a = adds[n];
			out.push(
				<tr key={i + n}>
					{d ? <><LineNumber of={d} side="old" className="del" /><td className="text del"><span className="away">−</span><Text of={d} /></td></> : <td className="none" colSpan={2} />}
					{a ? <><LineNumber of={a} side="now" className="add" /><td className="text add"><span className="away">+</span><Text of={a} /></td></> : <td className="none" colSpan={2} />}
				</tr>,
			);
		}
		i += dels.length + adds.length;
	}
	return <><colgroup><col className="no" /><col /><col className="no" /><col /></colgroup><tbody>{out}</tbody></>;
}

function LineNumber({ of: l, side, className }: { of: Line; side: "old" | "now"; className?: string }) {
	const none = l.kind === "hunk" || (side === "old" ? l.kind === "add" : l.kind === "del");
	return <td className={className ? "no " + className : "no"} aria-hidden="true">{none ? "" : l[side]}</td>;
}

function Sign({ of: l }: { of: Line }) {
	return <td className="sign">{l.kind === "add" ? "+" : l.kind === "del" ? "−" : ""}</td>;
}

function Text({ of: l }: { of: Line }) {
	return l.pieces.map((p, n) => (p.c ? <span key={n} className={p.c}><Visible text={p.t} /></span> : <Visible key={n} text={p.t} />));
}

// block returns the removed lines from a place on, and the added ones that follow them.
function block<T extends Row>(rows: T[], from: number): [dels: T[], adds: T[]] {
	let i = from;
	while (rows[i]?.kind === "del") i++;
	const middle = i;
	while (rows[i]?.kind === "add") i++;
	return [rows.slice(from, middle), rows.slice(middle, i)];
}

// coloured puts the colours of the language on the lines, and marks the words in which a line and its partner differ.
function coloured(rows: Row[], pieces: Piece[] | null): Line[] {
	const lines: Piece[][] = [[]];
	for (const p of pieces ?? []) {
		p.t.split("\n").forEach((t, i) => {
			if (i > 0) lines.push([]);
			if (t) lines.at(-1)?.push({ t, c: p.c });
		});
	}
	const out: Line[] = rows.map((r, i) => ({ ...r, pieces: r.kind !== "hunk" && r.text.length <= widest && lines[i]?.length ? lines[i]! : [{ t: r.text.slice(0, widest), c: "" }] }));
	for (let i = 0; i < out.length; i++) {
		if (out[i]!.kind !== "del") continue;
		const [dels, adds] = block(out, i);
		dels.forEach((d, n) => {
			const a = adds[n];
			const found = a && differ(d.text, a.text);
			if (!found) return;
			d.pieces = mark(d.pieces, found[0]);
			a.pieces = mark(a.pieces, found[1]);
		});
		i += dels.length + adds.length - 1;
	}
	return out;
}

type Range = [from: number, to: number];

// differ finds where two lines differ, in whole words. Nothing when they have too little in common for a mark to help.
export function differ(a: string, b: string): [Range, Range] | null {
	if (a.length > widest || b.length > widest) return null;
	const x = a.match(/\w+|\s+|./gu) ?? [], y = b.match(/\w+|\s+|./gu) ?? [];
	let from = 0, back = 0;
	while (from < x.length && from < y.length && x[from] === y[from]) from++;
	while (back < x.length - from && back < y.length - from && x.at(-1 - back) === y.at(-1 - back)) back++;
	const length = (parts: string[]) => parts.join("").length;
	const start = length(x.slice(0, from)), end = length(x.slice(x.length - back));
	const same = x.slice(0, from).join("").trim().length + x.slice(x.length - back).join("").trim().length;
	if (same * 3 < Math.min(a.trim().length, b.trim().length)) return null;
	return [[start, a.length - end], [start, b.length - end]];
}

// mark gives the pieces within a range a mark.
function mark(pieces: Piece[], [from, to]: Range): Piece[] {
	const out: Piece[] = [];
	let at = 0;
	for (const p of pieces) {
		const cut = [0, from - at, to - at, p.t.length].map((n) => Math.max(0, Math.min(p.t.length, n)));
		for (let i = 0; i < 3; i++) if (cut[i]! < cut[i + 1]!) out.push({ t: p.t.slice(cut[i], cut[i + 1]), c: i === 1 ? p.c + " w" : p.c });
		at += p.t.length;
	}
	return out;
}

export function read(diff: string): Row[] {
	const rows: Row[] = [];
	let old = 0, now = 0;
	for (const l of diff.replace(/\n$/, "").split("\n")) {
		const h = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(l);
		if (h) {
			old = +h[1]!;
			now = +h[2]!;
			rows.push({ kind: "hunk", old, now, text: l });
		} else if (l.startsWith("+")) rows.push({ kind: "add", old, now: now++, text: l.slice(1) });
		else if (l.startsWith("-")) rows.push({ kind: "del", old: old++, now, text: l.slice(1) });
		else if (l.startsWith("\\")) rows.push({ kind: "hunk", old, now, text: l });
		else rows.push({ kind: "same", old: old++, now: now++, text: l.slice(1) });
	}
	return rows;
}

// hunks leaves the names of the files out of a diff.
export function hunks(diff: string): string {
	return diff.replace(/^(---|\+\+\+) .*\n/gm, "");
}
