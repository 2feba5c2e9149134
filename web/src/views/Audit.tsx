import { useEffect, useState } from "react";
import { Link } from "wouter";
import { call, type Entry } from "../api/client";
import { Empty } from "../parts/Card";
import { useAction } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { sessions } from "../store/lists";
import { useStore } from "../store/store";
import { clockSeconds, dayName, dateTime, useWords, type Words } from "../words";

const page = 200; // entries that are asked for together

export default function AuditView() {
	const w = useWords();
	const [entries, setEntries] = useState<Entry[] | null>(null);
	const [more, setMore] = useState(false);
	const [search, setSearch] = useState("");
	const [what, setWhat] = useState("");
	const { busy, problem, run } = useAction();
	const load = (before?: number) => run(async () => {
		const got = await call<Entry[]>("GET", `/audit?limit=${page}${before ? "&before=" + before : ""}`);
		setEntries((all) => (before ? [...(all ?? []), ...got] : got));
		setMore(got.length === page);
	});
	useEffect(() => void load(), []); // eslint-disable-line
	const titles = useStore(sessions);
	const all = entries ?? [];
	const kinds = [...new Set(all.map((e) => e.what))].map((k) => [k, w.auditWhat[k] ?? k] as const).sort((a, b) => a[1].localeCompare(b[1]));
	const shown = all.filter((e) => (!what || e.what === what) && search.toLowerCase().split(/\s+/).every((x) => [e.who, e.role, e.address, e.text, e.session, titles.get(e.session ?? "")?.title, w.auditWhat[e.what], e.hash].join(" ").toLowerCase().includes(x)));
	let day = "";
	return (
		<>
			<Head title={w.audit}>{shown.length > 0 && <button type="button" className="link" onClick={() => save(shown)}>CSV</button>}</Head>
			<div className="page">
				<Failure error={problem} />
				{entries?.length === 0 && <Empty title={w.auditEmpty} more={w.auditEmptyMore} />}
				{all.length > 0 && (
					<>
						<div className="choose">
							<input id="search" type="search" className="search" value={search} placeholder={w.auditSearch} aria-label={w.auditSearch} onChange={(e) => setSearch(e.target.value)} />
							<select aria-label={w.what} value={what} onChange={(e) => setWhat(e.target.value)}><option value="">{w.auditAll}</option>{kinds.map(([k, name]) => <option key={k} value={k}>{name}</option>)}</select>
						</div>
						<div className="scroll" tabIndex={0} role="region" aria-label={w.audit}><table className="numbers audit">
							<thead><tr><th>{w.when}</th><th>{w.who}</th><th>{w.from}</th><th>{w.what}</th><th>{w.details}</th></tr></thead>
							<tbody>{shown.map((e) => {
								const first = day !== (day = dayName(e.time));
								return [first && <tr key={day} className="day"><th colSpan={5} scope="rowgroup">{day}</th></tr>, <Row key={e.number} entry={e} title={titles.get(e.session ?? "")?.title ?? ""} w={w} />];
							})}</tbody>
						</table></div>
						{shown.length === 0 && <p className="note">{w.noneFits}</p>}
						{more && <p className="pages"><button type="button" disabled={busy} onClick={() => void load(all.at(-1)?.number)}>{w.earlierEntries}</button></p>}
					</>
				)}
			</div>
		</>
	);
}

function Row({ entry: e, title, w }: { entry: Entry; title: string; w: Words }) {
	return (
		<tr>
			<td className="mono" title={dateTime(e.time)}>{clockSeconds(Date.parse(e.time))}</td>
			<td>{e.who || (e.role ? w.owner : "—")} {e.who && e.role && <span className="dim">{w.roles[e.role]}</span>}</td>
			<td className="mono dim">{[e.address, e.through].filter(Boolean).join(" ")}</td>
			<td>{w.auditWhat[e.what] ?? e.what}{e.session && <> · <Link href={"/s/" + e.session} className="link" title={e.session}>{title || e.session.slice(-5)}</Link>{e.call && <span className="mono dim"> {e.call}</span>}</>}</td>
			<td className="mono">{e.text && <Visible text={w.auditText(e.what, e.text)} />}{e.hash && <span className="dim"> {e.hash.slice(0, 8)}</span>}</td>
		</tr>
	);
}

// save saves what is shown as a table for spreadsheets. A cell that a spreadsheet would take for a formula begins with a quote.
function save(all: Entry[]) {
	const cell = (v: unknown) => `"${String(v ?? "").replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
	const names = ["number", "time", "who", "role", "address", "through", "what", "session", "call", "text", "hash"] as const;
	const text = [names.join(","), ...all.map((e) => names.map((n) => cell(e[n])).join(","))].join("\r\n") + "\r\n";
	const a = document.createElement("a");
	a.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
	a.download = "audit.csv";
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
