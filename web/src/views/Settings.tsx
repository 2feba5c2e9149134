import { lazy, Suspense, useState, type ReactNode } from "react";
import { call, type Me } from "../api/client";
import { useAction } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { disconnect } from "../store/line";
import { may, me } from "../store/lists";
import { look, type Look } from "../store/look";
import { allowNotify, install } from "../store/notify";
import { useStore } from "../store/store";
import { languages, useWords } from "../words";

const Effective = lazy(() => import("./Effective"));

export default function SettingsView() {
	const w = useWords();
	const l = useStore(look);
	const who = useStore(me) as Me;
	const offer = useStore(install);
	const [denied, setDenied] = useState(false);
	const change = (c: Partial<Look>) => look.update((x) => ({ ...x, ...c }));
	const notify = async (on: boolean) => (on ? setDenied(!(await allowNotify())) : (setDenied(false), change({ notify: false })));
	const { busy, problem, run } = useAction();
	const signOut = () => run(async () => {
		await call("POST", "/sign-out");
		disconnect();
		me.set("out");
	});
	return (
		<>
			<Head title={w.settings} />
			<div className="page settings">
				<Choice label={w.theme} value={l.theme} options={[["system", w.system], ["light", w.light], ["dark", w.dark]]} onChange={(v) => change({ theme: v as Look["theme"] })} />
				<Choice label={w.language} value={w.code} options={languages.map((x) => [x.code, x.name])} onChange={(v) => change({ language: v })} />
				<Choice label={w.letterKeys} help={w.letterKeysHelp} value={l.letters ? "1" : "0"} options={[["1", w.on], ["0", w.off]]} onChange={(v) => change({ letters: v === "1" })} />
				<Choice label={w.notifications} help={denied ? w.notificationsDenied : w.notificationsHelp} value={l.notify ? "1" : "0"} options={[["1", w.on], ["0", w.off]]} onChange={(v) => void notify(v === "1")}>
					{l.notify && <label className="check"><input type="checkbox" checked={l.notifyEnds} onChange={(e) => change({ notifyEnds: e.target.checked })} />{w.notifyEnds}</label>}
				</Choice>
				{offer && <section className="setting"><h2>{w.app.title}</h2><p className="note">{w.app.help}</p><button type="button" onClick={() => void offer.prompt()}>{w.app.install}</button></section>}
				<section className="setting"><h2>{w.server}</h2><dl className="numbers"><div><dt>{w.version}</dt><dd className="mono">{who.version}</dd></div><div><dt>{w.signedInAs}</dt><dd>{who.name ? `${who.name} · ${w.roles[who.role]}` : w.owner}</dd></div></dl><button type="button" disabled={busy} onClick={() => void signOut()}>{w.signOut}</button><Failure error={problem} /></section>
				{may("operator") && <Suspense><Effective /></Suspense>}
			</div>
		</>
	);
}

function Choice({ label, help, value, options, onChange, children }: { label: string; help?: string; value: string; options: [string, string][]; onChange: (v: string) => void; children?: ReactNode }) {
	return (
		<fieldset className="setting"><legend>{label}</legend>
			<div className="segments">{options.map(([v, text]) => <label key={v} className={v === value ? "on" : ""}><input type="radio" name={label} checked={v === value} onChange={() => onChange(v)} />{text}</label>)}</div>
			{children}
			{help && <p className="note">{help}</p>}
		</fieldset>
	);
}
