import { lazy, Suspense, useEffect, useState } from "react";
import { Link, Route, Router, Switch } from "wouter";
import { base } from "./api/client";
import { Keys } from "./parts/Palette";
import { Head, Shell } from "./parts/Shell";
import { connect } from "./store/line";
import { inbox, me, whoAmI } from "./store/lists";
import { look } from "./store/look";
import { useStore } from "./store/store";
import { useWords, words } from "./words";
import { heading } from "./parts/AskCard";
import { SessionView } from "./views/Session";
import { signIn, SignInView } from "./views/SignIn";
import { all } from "./views";

const Timeline = lazy(() => import("./views/Timeline"));

// code takes the one-time code from the address, where it is after the #: no server and no log sees it, and the history
// does not keep it.
function code(): string {
	const found = /^#k=([A-Za-z0-9_-]+)$/.exec(location.hash)?.[1] ?? "";
	if (found) history.replaceState(null, "", location.pathname + location.search);
	return found;
}

export function App() {
	const who = useStore(me);
	const w = useWords();
	const [failed, setFailed] = useState<unknown>(null);
	useEffect(() => {
		void (async () => {
			const k = code();
			try {
				if (k) return await signIn(k);
			} catch (e) {
				setFailed(e);
			}
			try {
				await whoAmI();
				if (me.get() !== "out") connect();
			} catch (e) {
				setFailed(e);
				me.set("out");
			}
		})();
		return notifyOfNew();
	}, []);
	if (who === null) return null;
	if (who === "out") return <SignInView failed={failed} />;
	return (
		<Router base={base.replace(/\/$/, "")}>
			<Shell>
				<Suspense>
					<Switch>
						<Route path="/s/:id">{(p) => <SessionView key={p.id} id={p.id} />}</Route>
						<Route path="/timeline/:id">{(p) => <Timeline key={p.id} id={p.id} />}</Route>
						{all.map((v) => <Route key={v.path} path={v.path}><v.view /></Route>)}
						<Route><Head title={w.noRoute} /><div className="page"><div className="empty"><Link href="/" className="link">{w.inbox}</Link></div></div></Route>
					</Switch>
				</Suspense>
			</Shell>
			<Keys />
		</Router>
	);
}

// notifyOfNew shows a notification of the system for a request that comes while the page is hidden.
function notifyOfNew(): () => void {
	const known = new Set<string>();
	let first = true;
	return inbox.subscribe(() => {
		for (const r of inbox.get()) {
			const key = r.session + r.call + r.hash;
			if (!known.has(key) && !first && document.hidden && look.get().notify && "Notification" in window && Notification.permission === "granted") {
				new Notification(heading(words(), r), { tag: key, body: [r.title, r.verdict.reason].filter(Boolean).join("\n") }).onclick = () => window.focus();
			}
			known.add(key);
		}
		first = false;
	});
}
