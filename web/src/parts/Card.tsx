import type { ReactNode } from "react";
import { Knot } from "./Knot";
import { Ticks } from "./Text";

// Card is one thing of a list that has a state: a schedule, a server, a skill.
export function Card({ state, title, mono, tags, right, children }: { state?: Parameters<typeof Knot>[0]["state"]; title: ReactNode; mono?: boolean; tags?: ReactNode; right?: ReactNode; children?: ReactNode }) {
	return (
		<article className="card">
			<header>{state && <Knot state={state} />}<h2 className={mono ? "mono" : ""}>{title}</h2>{tags}<span className="right">{right}</span></header>
			{children}
		</article>
	);
}

// Facts are names with their values. A value that is empty is left out.
export function Facts({ rows }: { rows: [name: string, value: ReactNode, mono?: boolean][] }) {
	const all = rows.filter(([, value]) => value !== "" && value !== undefined && value !== null && value !== false);
	if (all.length === 0) return null;
	return <dl className="effects">{all.map(([name, value, mono]) => <div key={name}><dt>{name}</dt><dd className={mono ? "mono" : ""}>{value}</dd></div>)}</dl>;
}

// Empty says that a list has nothing, and what to do.
export function Empty({ title, more, children }: { title: string; more?: string; children?: ReactNode }) {
	return <div className="empty"><p className="big">{title}</p>{more && <p className="dim"><Ticks text={more} /></p>}{children}</div>;
}
