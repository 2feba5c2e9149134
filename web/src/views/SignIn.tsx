import { useEffect, useState } from "react";
import { base, call, type Me } from "../api/client";
import { Failure } from "../parts/Failure";
import { Ticks } from "../parts/Text";
import { setMe, whoAmI } from "../store/lists";
import { connect, signedIn } from "../store/line";
import { look } from "../store/look";
import { languages, useWords } from "../words";

// signIn sends a key or a one-time code. What follows comes with the cookie.
export async function signIn(key: string) {
	const who = await call<Me>("POST", "/sign-in", { key });
	signedIn();
	setMe(who);
	await whoAmI();
	connect();
}

export function SignInView({ failed }: { failed: unknown }) {
	const w = useWords();
	const [key, setKey] = useState("");
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<unknown>(failed);
	// The provider of accounts that this server has, if any; its answer to a failed sign-in is in the address.
	const [provider, setProvider] = useState<{ provider?: string; path?: string }>({});
	const [refused] = useState(() => /^#sign-in=(\w+)$/.exec(location.hash)?.[1] ?? "");
	useEffect(() => {
		if (refused) history.replaceState(null, "", location.pathname + location.search);
		call<typeof provider>("GET", "/sign-in").then(setProvider, () => undefined);
	}, [refused]);
	const here = "/" + (location.pathname + location.search).slice(base.length);
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
			{refused && <p className="failure" role="alert">{w.notLetIn[refused] ?? w.notLetIn.refused}</p>}
			{provider.path && <p className="elsewhere"><span className="dim">{w.or}</span> <a className="button" href={`${provider.path}?to=${encodeURIComponent(here)}`}>{w.signInWith(provider.provider ?? "")}</a></p>}
			<p className="note"><Ticks text={w.signInLost} /></p>
			<p className="languages">{languages.map((x) => <button key={x.code} type="button" className="link" lang={x.code} onClick={() => look.update((l) => ({ ...l, language: x.code }))}>{x.name}</button>)}</p>
		</main>
	);
}
