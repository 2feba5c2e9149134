import { ChevronRight, File as FileIcon, Folder, GitBranch } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location"; // as it is: a name may hold %XX
import { base, type Changes, type FileText, type GitChanges, type Listing } from "../api/client";
import { Empty } from "../parts/Card";
import { CodeBlock, languageOf } from "../parts/Code";
import { inDir, useData, useDir, useFresh, WorkspaceChoice } from "../parts/Data";
import { Diff, hunks } from "../parts/Diff";
import { counted } from "../parts/Undo";
import { UndoPoints } from "../parts/UndoPoints";
import { Failure } from "../parts/Failure";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { byTime, may, sessions } from "../store/lists";
import { useStore } from "../store/store";
import { dateTime, size, useWords } from "../words";

// FilesView shows the files of a workspace, or what sessions changed in them. What is open is in the address, so that going back
// works.
export default function FilesView() {
	const w = useWords();
	const dir = useDir();
	const search = new URLSearchParams(useSearch());
	const [, go] = useLocation();
	const show = (p: Record<string, string>) => go("/files?" + new URLSearchParams(p).toString());
	const operator = may("operator");
	const shown = search.get("show") ?? "";
	const view = shown === "undo" || shown === "changes" || shown === "git" ? shown : operator ? "tree" : "changes";
	return (
		<>
			<Head title={w.workspaceFiles} sub={dir}><WorkspaceChoice /></Head>
			<div className="page files">
				<div className="segments small" role="group" aria-label={w.filesView.shown}>
					{(["tree", "changes", "git", "undo"] as const).filter((v) => operator || (v !== "tree" && v !== "git")).map((v) => <button key={v} type="button" aria-pressed={view === v} className={view === v ? "on" : ""} onClick={() => show(v === "tree" ? {} : { show: v })}>{w.filesView[v]}</button>)}
				</div>
				{view === "tree" ? <Tree dir={dir} path={search.get("path") ?? ""} file={search.get("file") ?? ""} show={show} />
					: view === "git" ? <Git dir={dir} />
					: view === "undo" ? <UndoPoints dir={dir} session={search.get("session") ?? ""} show={show} />
					: <ChangesOf dir={dir} session={search.get("session") ?? ""} show={show} />}
			</div>
		</>
	);
}

function Tree({ dir, path, file, show }: { dir: string; path: string; file: string; show: (p: Record<string, string>) => void }) {
	const w = useWords();
	const { data, problem } = useData<Listing>(inDir(`/files?path=${encodeURIComponent(path)}`, dir));
	const changed = useData<Changes>(inDir("/changes", dir)).data?.files ?? [];
	const steps = path ? path.split("/") : [];
	const below = (name: string) => (path ? path + "/" + name : name);
	return (
		<div className={file ? "split open" : "split"}>
			<section className="tree" aria-label={w.filesView.tree}>
				<nav className="crumbs mono" aria-label={w.folder}>
					<button type="button" className="link" onClick={() => show({})}>{dir.slice(dir.lastIndexOf("/") + 1)}</button>
					{steps.map((s, i) => <span key={i}><ChevronRight size={12} aria-hidden="true" /><button type="button" className="link" onClick={() => show({ path: steps.slice(0, i + 1).join("/") })}><Visible text={s} name /></button></span>)}
				</nav>
				<Failure error={problem} />
				{data && data.path === path && (
					<>
						<ul className="entries">
							{data.entries.map((e) => (
								<li key={e.name}>
									<button type="button" className={below(e.name) === file ? "on" : ""} aria-current={below(e.name) === file ? "true" : undefined} onClick={() => show(e.dir ? { path: below(e.name) } : { path, file: below(e.name) })}>
										{e.dir ? <Folder size={16} aria-label={w.folder} /> : <FileIcon size={16} aria-hidden="true" />}
										<span className="mono one"><Visible text={e.name} name /></span>
										<Marks files={changed.filter((f) => (e.dir ? f.path.startsWith(below(e.name) + "/") : f.path === below(e.name)))} />
										<span className="dim when">{e.dir ? "" : size(e.size)}</span>
									</button>
								</li>
							))}
						</ul>
						{data.entries.length === 0 && <p className="note">{w.filesView.emptyFolder}</p>}
						{data.hidden > 0 && <p className="note">{w.filesView.hidden(data.hidden)}</p>}
						{data.more && <p className="note">{w.filesView.more}</p>}
					</>
				)}
			</section>
			{file ? <OneFile key={file} dir={dir} path={file} changed={changed.find((f) => f.path === file)} onClose={() => show({ path })} /> : <p className="note choose-one">{w.filesView.chooseOne}</p>}
		</div>
	);
}

// Marks shows how much sessions changed below an entry.
function Marks({ files }: { files: Changed[] }) {
	const w = useWords();
	if (files.length === 0) return null;
	if (!files.some(counted)) return <span className="tag quiet" title={w.filesView.changed}>{w.filesView.what[files[0]!.what] ?? files[0]!.what}</span>;
	const sum = (key: "added" | "removed") => files.reduce((n, f) => n + f[key], 0);
	return <span className="mono marks" title={w.filesView.changed}><span className="plus">+{sum("added")}</span> <span className="minus">−{sum("removed")}</span></span>;
}

function OneFile({ dir, path, changed, onClose }: { dir: string; path: string; changed: Changed | undefined; onClose: () => void }) {
	const w = useWords();
	const [diff, setDiff] = useState(false);
	const { data, problem } = useData<FileText>(inDir(`/files/text?path=${encodeURIComponent(path)}`, dir));
	const here = data?.path === path ? data : null;
	return (
		<section className="onefile call" aria-label={path}>
			<header>
				<h2 className="mono one"><Visible text={path.slice(path.lastIndexOf("/") + 1)} name /></h2>
				{here && <span className="dim note">{size(here.size)} · {dateTime(here.time)}</span>}
				<span className="right buttons">
					{changed?.diff && <span className="segments small" role="group" aria-label={w.filesView.shown}>{[false, true].map((d) => <button key={String(d)} type="button" className={d === diff ? "on" : ""} aria-pressed={d === diff} onClick={() => setDiff(d)}>{d ? <Marks files={[changed]} /> : w.filesView.text}</button>)}</span>}
					<a className="link" href={`${base}v1${inDir(`/files/download?path=${encodeURIComponent(path)}`, dir)}`} download>{w.download}</a>
					<button type="button" className="link narrow-file" onClick={onClose}>{w.close}</button>
				</span>
			</header>
			<Failure error={problem} />
			{here?.binary && <p className="note padded">{w.filesView.binary}</p>}
			{here && !here.binary && here.text === "" && <p className="note padded">{w.filesView.emptyFile}</p>}
			{diff && changed?.diff ? <Diff diff={hunks(changed.diff)} path={path} /> : here && !here.binary && here.text !== "" && <CodeBlock text={here.text} language={languageOf(path)} numbers />}
			{here?.cut && <p className="note padded">{w.filesView.cut}</p>}
		</section>
	);
}

// Git shows what differs from the last commit, whoever changed it.
function Git({ dir }: { dir: string }) {
	const w = useWords();
	const { data: g, problem, reload } = useData<GitChanges>(inDir("/git", dir));
	useFresh(reload, byTime(useStore(sessions)).filter((s) => s.dir === dir));
	const files = g?.files ?? [];
	return (
		<>
			{g?.repository && (
				<p className="gitline mono"><GitBranch size={14} aria-hidden="true" /> <b><Visible text={g.branch || w.git.detached} /></b> {g.commit && <span className="dim">{g.commit}</span>}
					{g.upstream && <span className="dim">{g.upstream} {(g.ahead ?? 0) > 0 && <span title={w.git.ahead(g.ahead ?? 0)}>↑{g.ahead}</span>} {(g.behind ?? 0) > 0 && <span title={w.git.behind(g.behind ?? 0)}>↓{g.behind}</span>}{!g.ahead && !g.behind && w.git.even}</span>}
					{files.length > 0 && <span className="dim">{w.filesView.count(files.length)} · <Marks files={files} /></span>}</p>
			)}
			<Failure error={problem} />
			{g && !g.repository && <Empty title={w.git.none} more={w.git.noneMore} />}
			{g?.repository && files.length === 0 && <Empty title={w.git.clean} more={w.git.cleanMore} />}
			{files.map((f, i) => <ChangedFile key={f.path} file={f} open={i < 5} />)}
			{g?.more && <p className="note">{w.git.more}</p>}
		</>
	);
}

type Changed = Changes["files"][number];

function ChangesOf({ dir, session, show }: { dir: string; session: string; show: (p: Record<string, string>) => void }) {
	const w = useWords();
	const all = byTime(useStore(sessions)).filter((s) => s.dir === dir);
	const { data, problem, reload } = useData<Changes>(session ? `/sessions/${session}/changes` : inDir("/changes", dir));
	useFresh(reload, session ? all.filter((s) => s.id === session) : all);
	const files = data?.files ?? [];
	return (
		<>
			<div className="choose">
				<select aria-label={w.filesView.bySession} value={session} onChange={(e) => show(e.target.value ? { show: "changes", session: e.target.value } : { show: "changes" })}>
					<option value="">{w.filesView.allSessions}</option>
					{session && !all.some((s) => s.id === session) && <option value={session}>{session}</option>}
					{all.slice(0, 100).map((s) => <option key={s.id} value={s.id}>{s.title || s.id}</option>)}
				</select>
				{files.length > 0 && <p className="dim">{w.filesView.count(files.length)} · +{files.reduce((n, f) => n + f.added, 0)} −{files.reduce((n, f) => n + f.removed, 0)}</p>}
			</div>
			<Failure error={problem} />
			{data && files.length === 0 && <Empty title={w.filesView.noChanges} more={w.filesView.noChangesMore} />}
			{files.map((f, i) => <ChangedFile key={f.path} file={f} open={i < 5} />)}
			{data?.more && <p className="note">{w.filesView.moreDiffs}</p>}
		</>
	);
}

function ChangedFile({ file: f, open }: { file: Changed; open: boolean }) {
	const w = useWords();
	const [shown, set] = useState(open);
	return (
		<article className="call changed">
			<header>
				<button type="button" className="what mono" aria-expanded={shown} disabled={!f.diff} onClick={() => set(!shown)}><Visible text={f.from ? `${f.from} → ${f.path}` : f.path} name /></button>
				<span className={f.what === "conflict" ? "tag bad" : "tag quiet"}>{w.filesView.what[f.what] ?? f.what}</span>
				{counted(f) && <Marks files={[f]} />}
			</header>
			{f.hidden && <p className="note padded">{w.filesView.hiddenDiff}</p>}
			{shown && f.diff && <Diff diff={hunks(f.diff)} path={f.path} />}
		</article>
	);
}
