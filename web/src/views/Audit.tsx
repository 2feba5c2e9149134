import { useEffect, useState } from "react";
import { Link } from "wouter";
import { call, type Entry } from "../api/client";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { dateTime, useWords } from "../words";

export default function AuditView() {
	const w = useWords();
	const [entries, setEntries] = useState<Entry[] | null>(null);
	const [problem, setProblem] = useState<unknown>(null);
	useEffect(() => {
		const stop = new AbortController();
		call<Entry[]>("GET", "/audit?limit=500", undefined, stop.signal).then(setEntries, (e) => !stop.signal.aborted && setProblem(e));
		return () => stop.abort();
	}, []);
	return (
		<>
			<Head title={w.audit} />
			<div className="page">
				<Failure error={problem} />
				{entries?.length === 0 && <div className="empty"><p>{w.auditEmpty}</p></div>}
				{entries && entries.length > 0 && (
					<div className="scroll" tabIndex={0}><table className="numbers audit">
						<thead><tr><th>{w.when}</th><th>{w.who}</th><th>{w.from}</th><th>{w.what}</th><th /></tr></thead>
						<tbody>{entries.map((e) => (
							<tr key={e.number}>
								<td className="mono">{dateTime(e.time)}</td><td>{e.who || (e.role ? w.owner : "—")} {e.role && <span className="dim">{w.roles[e.role]}</span>}</td>
								<td className="mono dim">{[e.address, e.through].filter(Boolean).join(" ")}</td><td>{w.auditWhat[e.what] ?? e.what}{e.session && <> · <Link href={"/s/" + e.session} className="link mono">{e.session.slice(-5)}{e.call ? "/" + e.call : ""}</Link></>}</td>
								<td className="mono">{e.text && <Visible text={e.text} />}{e.hash && <span className="dim"> {e.hash.slice(0, 8)}</span>}</td>
							</tr>
						))}</tbody>
					</table></div>
				)}
			</div>
		</>
	);
}
