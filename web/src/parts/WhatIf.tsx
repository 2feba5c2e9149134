import { useEffect, useState } from "react";
import { Link } from "wouter";
import { call, type Simulated } from "../api/client";
import { useWords } from "../words";
import { Failure } from "./Failure";
import { Visible } from "./Text";

const days = 30;

// WhatIf shows what rules would have allowed in past sessions, before they are kept.
export function WhatIf({ dir, rules }: { dir: string; rules: string[] }) {
	const w = useWords();
	const [out, setOut] = useState<Simulated | null>(null);
	const [problem, setProblem] = useState<unknown>(null);
	const key = rules.join("\n");
	useEffect(() => {
		const stop = new AbortController();
		call<Simulated>("POST", "/rules/simulate", { dir, days, allow: key.split("\n") }, stop.signal).then(setOut, (e) => !stop.signal.aborted && setProblem(e));
		return () => stop.abort();
	}, [dir, key]);
	const allowed = (out?.changed ?? []).filter((x) => x.after === "allow");
	const refused = allowed.filter((x) => x.refused || x.before === "deny");
	return (
		<section className="whatif" aria-label={w.whatIf.title}>
			<h4>{w.whatIf.title} <span className="dim">{out ? w.whatIf.of(days, out.calls) : ""}</span></h4>
			<Failure error={problem} />
			{!out && !problem && <p className="dim">{w.rulesView.simulating}</p>}
			{out && <p role="status">{allowed.length ? w.whatIf.fewer(allowed.length) : w.rulesView.same} {allowed.length > 0 && <span className={refused.length ? "bad" : "good"}>{w.whatIf.refused(refused.length)}</span>}</p>}
			{allowed.length > 0 && (
				<details open={refused.length > 0}><summary>{w.whatIf.list}</summary><ul>
					{[...refused, ...allowed.filter((x) => !refused.includes(x))].slice(0, 20).map((x) => <li key={x.session + x.call}>{refused.includes(x) && <span className="tag bad">{w.rulesView.wasRefused}</span>} <span className="mono one"><Visible text={x.text.slice(0, 200)} /></span> <Link className="link" href={"/s/" + x.session}>{w.openSession}</Link></li>)}
				</ul></details>
			)}
			{out?.more && <p className="note">{w.rulesView.bounded}</p>}
		</section>
	);
}
