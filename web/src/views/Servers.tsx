import { useState } from "react";
import { call, type LoginAddress, type ToolServer } from "../api/client";
import { Card, Empty, Facts } from "../parts/Card";
import { inDir, useAction, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { may, seesAll } from "../store/lists";
import { useWords } from "../words";

export default function ServersView() {
	const w = useWords();
	const dir = useDir();
	const { data, problem, reload } = useData<ToolServer[]>(inDir("/mcp", dir));
	const [tried, setTried] = useState<Map<string, ToolServer>>(new Map());
	return (
		<>
			<Head title={w.mcp} sub={data ? String(data.length) : ""}><WorkspaceChoice /></Head>
			<div className="page">
				<Failure error={problem} />
				{data?.length === 0 && <Empty title={w.toolServer.empty} more={w.toolServer.emptyMore} />}
				{(data ?? []).map((s) => <One key={dir + s.name} server={tried.get(dir + s.name) ?? s} dir={dir} onChange={(v) => (v ? setTried((all) => new Map(all).set(dir + v.name, v)) : (setTried(new Map()), reload()))} />)}
			</div>
		</>
	);
}

function One({ server: s, dir, onChange }: { server: ToolServer; dir: string; onChange: (v?: ToolServer) => void }) {
	const w = useWords();
	const x = w.toolServer;
	const { busy, problem, run } = useAction();
	const [doing, setDoing] = useState("");
	const [address, setAddress] = useState("");
	const can = may("operator");
	const accepts = can && (s.scope === "project" || seesAll());
	const tools = s.tools ?? [];
	const changed = tools.filter((t) => t.question);
	const failed = s.state.startsWith("failed");
	const path = (what: string) => inDir(`/mcp/${encodeURIComponent(s.name)}/${what}`, dir);
	const act = (what: string) => (setDoing(what), void run(async () => onChange(await call<ToolServer>("POST", path(what)))));
	const state = s.disabled ? x.off : failed ? x.failed : s.state === "connected" ? x.works : tools.length ? (["eager", "required"].includes(s.start ?? "") ? x.begins : x.known) : x.never;
	return (
		<Card state={s.disabled ? "quiet" : busy && doing === "try" ? "running" : failed ? "refused" : changed.length ? "waits" : tools.length ? "done" : "quiet"} title={<Visible text={s.name} />} mono
			tags={<><span className={"tag " + (failed ? "bad" : s.state === "connected" ? "done" : "")}>{busy && doing === "try" ? w.running : state}</span>{changed.length > 0 && <span className="tag waits">{x.changed(changed.length)}</span>}{s.signed_in && <span className="tag done">{x.signedIn}</span>}{s.sandbox === "off" && <span className="tag bad">{x.noSandbox}</span>}</>}
			right={<span>{x.tools(tools.length)}</span>}>
			<Facts rows={[
				[x.kinds[s.kind] ?? s.kind, <Visible text={s.target} />, true],
				[x.entry, `${s.source} (${s.scope})`, true],
				[w.problem, failed && <Visible text={s.state.replace(/^failed: ?/, "")} />],
				[x.about, s.about],
				[x.pins, tools.length > 0 && x.pinned(tools.length - changed.length, changed.length)],
				[w.network, s.network?.join(", "), true],
				[x.env, s.env && Object.entries(s.env).map(([k, v]) => `${k}=${v}`).join(" "), true],
			]} />
			{changed.map((t) => (
				<section key={t.name} className="pinned" aria-label={t.name}>
					<h3 className="mono">{t.name}</h3>
					<pre className="text" tabIndex={0}><Visible text={t.question ?? ""} /></pre>
					<div className="buttons"><button type="button" className="main" disabled={!accepts || busy} onClick={() => (setDoing("accept"), void run(async () => (await call("POST", `/mcp/${encodeURIComponent(s.name)}/accept`, { dir, tool: t.name, hash: t.hash }), onChange())))}>{x.accept}</button><span className="note">{x.acceptHelp}{can && !accepts && " " + w.seesSome}</span></div>
				</section>
			))}
			{tools.length > 0 && <details><summary>{x.tools(tools.length)}</summary><ul className="tools">{tools.map((t) => <li key={t.name}><b className="mono">{t.name}</b> <Visible text={t.description} /></li>)}</ul></details>}
			{s.log && <details><summary>{x.log}</summary><pre className="text" tabIndex={0}><Visible text={s.log} /></pre></details>}
			{can && !s.disabled && (
				<footer>
					<div className="buttons">
						<button type="button" disabled={busy} onClick={() => act("try")}>{x.try}</button>
						{s.kind !== "stdio" && !s.signed_in && <button type="button" disabled={!accepts || busy} onClick={() => (setDoing("login"), void run(async () => setAddress((await call<LoginAddress>("POST", path("login"))).url)))}>{w.signIn}</button>}
						{s.signed_in && <button type="button" disabled={!accepts || busy} onClick={() => act("logout")}>{w.signOut}</button>}
						{s.kind !== "stdio" && !accepts && <span className="note">{w.seesSome}</span>}
					</div>
					{address && <p>{x.loginHelp} <a className="link" href={/^https?:/.test(address) ? address : undefined} target="_blank" rel="noreferrer noopener">{address.slice(0, 80)}</a></p>}
					<Failure error={problem} />
				</footer>
			)}
		</Card>
	);
}
