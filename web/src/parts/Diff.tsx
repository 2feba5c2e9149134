import { memo, useMemo } from "react";
import { useColours, languageOf } from "./Code";
import { Visible } from "./Text";

export interface Change { path: string; from?: string; created?: boolean; deleted?: boolean; added: number; removed: number; diff: string; cut?: boolean }

interface Row { kind: "hunk" | "add" | "del" | "same"; old: number; now: number; text: string }

// Diff shows the unified diff of one file, with line numbers and the colours of its language.
export const Diff = memo(function Diff({ diff, path }: { diff: string; path: string }) {
	const rows = useMemo(() => read(diff), [diff]);
	const code = useMemo(() => rows.map((r) => r.text).join("\n"), [rows]);
	const pieces = useColours(code, languageOf(path));
	const coloured = useMemo(() => {
		if (!pieces) return null;
		const lines: { t: string; c: string }[][] = [[]];
		for (const p of pieces) {
			p.t.split("\n").forEach((t, i) => {
				if (i > 0) lines.push([]);
				if (t) lines.at(-1)?.push({ t, c: p.c });
			});
		}
		return lines;
	}, [pieces]);
	return (
		<div className="diff scroll" tabIndex={0} role="region" aria-label={path}>
			<table>
				<tbody>
					{rows.map((r, i) => (
						<tr key={i} className={r.kind}>
							<td className="no" aria-hidden="true">{r.kind === "hunk" || r.kind === "add" ? "" : r.old}</td>
							<td className="no" aria-hidden="true">{r.kind === "hunk" || r.kind === "del" ? "" : r.now}</td>
							<td className="sign">{r.kind === "add" ? "+" : r.kind === "del" ? "−" : ""}</td>
							<td className="text">
								{r.kind !== "hunk" && coloured?.[i] ? coloured[i].map((p, n) => <span key={n} className={p.c}><Visible text={p.t} /></span>) : <Visible text={r.text.slice(0, 2000)} />}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
});

export function read(diff: string): Row[] {
	const rows: Row[] = [];
	let old = 0, now = 0;
	for (const l of diff.replace(/\n$/, "").split("\n")) {
		const h = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(l);
		if (h) {
			old = Number(h[1]);
			now = Number(h[2]);
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
