import { useState } from "react";
import { call, type Me } from "../api/client";
import { Failure } from "../parts/Failure";
import { Ticks } from "../parts/Text";
import { me, whoAmI } from "../store/lists";
import { connect } from "../store/line";
import { look } from "../store/look";
import { languages, useWords } from "../words";

// signIn sends a key or a one-time code. What follows comes with the cookie.
export async function signIn(key: string) {
	me.set(await call<Me>("POST", "/sign-in", { key }));
	await whoAmI();
	connect();
}

export function SignInView({ failed }: { failed: unknown }) {
	const w = useWords();
	const [key, setKey] = useState("");
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<unknown>(failed);
	async function send() {
		setBusy(true);
		setProblem(null);
		try {
			await signIn(key.trim());
		} catch (e) {
			setProblem(e);
			setBusy(false);
		}
	}
	return (
		<main className="signin" id="main">
			<p className="brand"><svg width="24" height="24" viewBox="0 0 18 18" aria-hidden="true"><path d="M2 1c0 9 6 15 15 15" fill="none" stroke="currentColor" strokeWidth="3" /></svg>rein</p>
			<h1>{w.signInTitle}</h1>
			<p className="dim"><Ticks text={w.signInHelp} /></p>
			<form onSubmit={(e) => (e.preventDefault(), void send())}>
				<label>{w.key}<input type="password" autoComplete="current-password" value={key} onChange={(e) => setKey(e.target.value)} autoFocus /></label>
				<button type="submit" className="main" disabled={busy || !key.trim()}>{w.signIn}</button>
			</form>
			<Failure error={problem} />
			<p className="note"><Ticks text={w.signInLost} /></p>
			<p className="languages">{languages.map((x) => <button key={x.code} type="button" className="link" lang={x.code} onClick={() => look.update((l) => ({ ...l, language: x.code }))}>{x.name}</button>)}</p>
		</main>
	);
}
