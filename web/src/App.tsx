import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Link, Route, Router, Switch } from "wouter";
import { away, base } from "./api/client";
import { Keys } from "./parts/Palette";
import { NotConnected } from "./parts/NotConnected";
import { Head, Shell } from "./parts/Shell";
import { Guarded } from "./parts/Guarded";
import { connect } from "./store/line";
import { may, me, whoAmI } from "./store/lists";
import { keepShell, notifyOfNew } from "./store/notify";
import { useStore } from "./store/store";
import { useWords } from "./words";
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
				me.set(away(e) ? "away" : "out");
			}
			keepShell();
		})();
		return notifyOfNew();
	}, []);
	if (who === null) return null;
	if (who === "away") return <Router base={base.replace(/\/$/, "")}><Shell><NotConnected /></Shell></Router>;
	if (who === "out") return <SignInView failed={failed} />;
	return (
		<Router base={base.replace(/\/$/, "")}>
			<Shell>
				<Guarded><Suspense>
					<Switch>
						<Route path="/s/:id">{(p) => <SessionView key={p.id} id={p.id} />}</Route>
						<Route path="/inbox"><Redirect to="/" replace /></Route>
						<Route path="/timeline/:id">{(p) => <Timeline key={p.id} id={p.id} />}</Route>
						{all.map((v) => <Route key={v.path} path={v.path}>{!v.role || may(v.role) ? <v.view /> : <><Head title={w[v.name]} /><div className="page"><p className="note">{w.needsRole(v.role === "owner" ? w.owner : (w.roles[v.role] ?? v.role))}</p></div></>}</Route>)}
						<Route><Head title={w.noRoute} /><div className="page"><div className="empty"><Link href="/" className="link">{w.inbox}</Link></div></div></Route>
					</Switch>
				</Suspense></Guarded>
			</Shell>
			<Keys />
		</Router>
	);
}
