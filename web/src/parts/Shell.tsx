import { MoreHorizontal, Plus } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { line } from "../store/line";
import { byTime, inbox, may, sessions } from "../store/lists";
import { useStore } from "../store/store";
import { clock, stateOf, useWords } from "../words";
import { useViews } from "../views";
import { Knot, knotOf } from "./Knot";
import { Sheet } from "./Sheet";
import { Visible } from "./Text";

function active(path: string, at: string): boolean {
	return path === "/" ? at === "/" : at === path || at.startsWith(path + "/") || (path === "/sessions" && at.startsWith("/s/"));
}

// Shell is the frame of all views: the rail at the left, tabs at the foot of a phone.
export function Shell({ children }: { children: ReactNode }) {
	const w = useWords();
	const [at, go] = useLocation();
	const views = useViews();
	const waiting = useStore(inbox).length;
	const recent = byTime(useStore(sessions)).slice(0, 8);
	const [more, setMore] = useState(false);
	useEffect(() => setMore(false), [at]);
	useEffect(() => {
		document.title = waiting ? `(${waiting}) rein` : "rein";
		void navigator.setAppBadge?.(waiting).catch(() => undefined); // the icon of the installed app
	}, [waiting]);
	const count = waiting > 0 && <span className="count" aria-label={w.waiting(waiting)}>{waiting}</span>;
	return (
		<div className="shell">
			<a className="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>{w.skip}</a>
			<nav className="rail" aria-label={w.views}>
				<Link href="/" className="brand"><svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><path d="M2 1c0 9 6 15 15 15" fill="none" stroke="currentColor" strokeWidth="3" /></svg>rein</Link>
				{may("operator") && <button type="button" className="newsession" onClick={() => (go("/sessions"), window.setTimeout(() => window.dispatchEvent(new Event("rein:new")), 50))}><Plus size={16} aria-hidden="true" />{w.newSession}</button>}
				<ul className="views">
					{views.filter((v) => v.group === "daily").map((v) => <li key={v.path}><Link href={v.path} className={active(v.path, at) ? "on" : ""} aria-current={active(v.path, at) ? "page" : undefined}>{v.icon}{v.name}{v.path === "/" && count}</Link></li>)}
				</ul>
				<h2>{w.workspace}</h2>
				<ul className="views">
					{views.filter((v) => v.group === "workspace").map((v) => <li key={v.path}><Link href={v.path} className={active(v.path, at) ? "on" : ""} aria-current={active(v.path, at) ? "page" : undefined}>{v.icon}{v.name}</Link></li>)}
				</ul>
				{recent.length > 0 && <h2>{w.recent}</h2>}
				<ul className="recent">
					{recent.map((s) => <li key={s.id}><Link href={"/s/" + s.id} className={at === "/s/" + s.id ? "on" : ""}><Knot state={knotOf(s)} /><span className="one"><Visible text={s.title || s.id} /></span><span className="away">{stateOf(w, s.state)}</span></Link></li>)}
				</ul>
			</nav>
			<main id="main" tabIndex={-1}>
				<LineState />
				{children}
			</main>
			<nav className="tabs" aria-label={w.views}>
				{views.slice(0, 3).map((v) => <Link key={v.path} href={v.path} className={active(v.path, at) ? "on" : ""} aria-current={active(v.path, at) ? "page" : undefined}>{v.icon}<span>{v.name}</span>{v.path === "/" && count}</Link>)}
				<button type="button" className={views.slice(3).some((v) => active(v.path, at)) ? "on" : ""} onClick={() => setMore(true)} aria-haspopup="dialog"><MoreHorizontal size={18} /><span>{w.more}</span></button>
			</nav>
			{more && <Sheet title={w.more} onClose={() => setMore(false)}><ul className="menu">{views.slice(3).map((v) => <li key={v.path}><Link href={v.path}>{v.icon}{v.name}</Link></li>)}</ul></Sheet>}
		</div>
	);
}

// LineState says when what is shown may be old.
function LineState() {
	const w = useWords();
	const l = useStore(line);
	const [late, setLate] = useState(false);
	const [back, setBack] = useState(false);
	useEffect(() => {
		if (l.state !== "broken") {
			if (late) {
				setLate(false);
				setBack(true);
				const t = window.setTimeout(() => setBack(false), 4000);
				return () => clearTimeout(t);
			}
			return;
		}
		const t = window.setTimeout(() => setLate(true), 3000);
		return () => clearTimeout(t);
	}, [l.state]); // eslint-disable-line
	return (
		<div role="status" className="linestate">
			{late && l.state === "broken" ? <p className="bar broken">{w.reconnecting(clock(l.since))}</p> : l.newer ? <p className="bar">{w.newer(l.newer)} <button type="button" className="link" onClick={() => location.reload()}>{w.reload}</button></p> : back ? <p className="bar">{l.restarted ? w.restarted : w.back}</p> : null}
		</div>
	);
}

export function Head({ title, sub, children }: { title: string; sub?: ReactNode; children?: ReactNode }) {
	return (
		<header className="head">
			<h1><Visible text={title} /></h1>
			{sub && <p className={typeof sub === "string" && sub.length < 12 ? "mono dim one" : "mono dim one long"}>{sub}</p>}
			<div className="right">{children}</div>
		</header>
	);
}
