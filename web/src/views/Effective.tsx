import { useRef, useState } from "react";
import schema from "../../../docs/settings.schema.json";
import { call, type Settings } from "../api/client";
import { inDir, useAction, useData, useDir, WorkspaceChoice } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Visible } from "../parts/Text";
import { seesAll } from "../store/lists";
import { useWords } from "../words";

// Schema is what the page uses of the schema of the settings.
interface Schema { type?: string | string[]; enum?: unknown[]; description?: string; default?: unknown; minimum?: number; maximum?: number; properties?: Record<string, Schema>; items?: Schema; additionalProperties?: boolean | Schema; anyOf?: Schema[]; oneOf?: Schema[] }
interface Row { names: string[]; of: Schema }

// rows are the single settings of the schema. Objects without fixed names are one.
function rows(of: Schema, names: string[] = []): Row[] {
	return Object.entries(of.properties ?? {}).filter(([n]) => n !== "$schema" && n !== "permissions").flatMap(([n, s]) => (s.properties ? rows(s, [...names, n]) : [{ names: [...names, n], of: s }]));
}
const every = rows(schema as Schema);
const kind = (s: Schema) => (s.enum ? "enum" : s.type === "boolean" || s.type === "integer" || s.type === "number" || s.type === "string" ? s.type : s.type === "array" && s.items?.type === "string" ? "list" : "");

export default function Effective() {
	const w = useWords();
	const dir = useDir();
	const { data, problem, reload } = useData<Settings>(inDir("/settings", dir));
	const [search, setSearch] = useState("");
	const [all, setAll] = useState(false);
	const [open, setOpen] = useState("");
	const opener = useRef<HTMLElement>(null); // has the focus again after the form
	const words = search.toLowerCase().split(/\s+/).filter(Boolean);
	const valuesOf = (r: Row) => data?.values.filter((v) => v.names.join(".") === r.names.join(".")) ?? [];
	const shown = every.filter((r) => words.every((x) => (r.names.join(".") + " " + (r.of.description ?? "")).toLowerCase().includes(x)) && (all || words.length > 0 || valuesOf(r).length > 0));
	return (
		<section className="effective">
			<header><h2>{w.settingsView.title}</h2><WorkspaceChoice /></header>
			<p className="note">{w.settingsView.help}</p>
			<div className="line">
				<input type="search" id="search" aria-label={w.search} placeholder={w.search} value={search} onChange={(e) => setSearch(e.target.value)} />
				<label className="check"><input type="checkbox" checked={all} onChange={(e) => setAll(e.target.checked)} />{w.settingsView.all(every.length)}</label>
			</div>
			<Failure error={problem} />
			{data && shown.length === 0 && <p>{words.length > 0 ? w.settingsView.noHits : w.settingsView.noneSet}</p>}
			<ul>
				{data && shown.map((r) => {
					const name = r.names.join("."), values = valuesOf(r), hand = data.by_hand.includes(r.names[0] ?? "") || !kind(r.of);
					return (
						<li key={name}>
							<div className="name"><code>{name}</code>{!hand && <button type="button" className="link" aria-expanded={open === name} aria-label={`${w.settingsView.change} ${name}`} onClick={(e) => ((opener.current = e.currentTarget), setOpen(open === name ? "" : name))}>{w.settingsView.change}</button>}</div>
							{r.of.description && <p className="note">{r.of.description}</p>}
							{values.map((v, i) => <p key={i} className="value"><code><Visible text={text(v.value)} /></code> <span className="tag quiet">{w.rulesView.layers[v.layer] ?? v.layer}</span> <span className="mono dim">{v.source}</span></p>)}
							{values.length === 0 && <p className="value dim">{r.of.default === undefined ? w.settingsView.default : <>{w.settingsView.default}: <code>{text(r.of.default)}</code></>}</p>}
							{hand && (all || words.length > 0) && <p className="note">{w.settingsView.byHand}</p>}
							{open === name && <Change row={r} now={values.at(-1)?.value} layer={values.at(-1)?.layer} data={data} onDone={() => (setOpen(""), reload(), opener.current?.focus())} />}
						</li>
					);
				})}
			</ul>
		</section>
	);
}

const text = (v: unknown) => (typeof v === "string" ? v : JSON.stringify(v));

// Change is the form of one setting, made from its schema.
function Change({ row, now, layer, data, onDone }: { row: Row; now: unknown; layer: string | undefined; data: Settings; onDone: () => void }) {
	const w = useWords();
	const k = kind(row.of);
	const [value, setValue] = useState(now === undefined ? "" : k === "list" ? (now as string[]).join("\n") : text(now));
	const [scope, setScope] = useState(layer === "own" || !seesAll() ? "project" : "always");
	const { busy, problem, run } = useAction();
	const parsed = () => (k === "boolean" ? value === "true" : k === "integer" || k === "number" ? Number(value) : k === "list" ? value.split("\n").map((x) => x.trim()).filter(Boolean) : value);
	const send = (v: unknown) => run(() => call("POST", "/settings", { dir: data.dir, names: row.names, scope, ...(v === undefined ? {} : { value: v }) })).then((ok) => ok && onDone());
	const label = row.names.join(".");
	const options = k === "boolean" ? ["true", "false"] : (row.of.enum ?? []).map(String);
	return (
		<form className="change" onSubmit={(e) => (e.preventDefault(), void send(parsed()))}>
			{options.length > 0
				? <select aria-label={label} value={value} onChange={(e) => setValue(e.target.value)}><option value="" disabled>{w.settingsView.choose}</option>{options.map((x) => <option key={x} value={x}>{x}</option>)}</select>
				: k === "list" ? <textarea aria-label={label} rows={4} className="mono" value={value} placeholder={w.settingsView.oneALine} onChange={(e) => setValue(e.target.value)} />
					: <input aria-label={label} className="mono" type={k === "string" ? "text" : "number"} min={row.of.minimum} max={row.of.maximum} step={k === "integer" ? 1 : "any"} value={value} onChange={(e) => setValue(e.target.value)} />}
			<select aria-label={w.rulesView.scope} value={scope} onChange={(e) => setScope(e.target.value)}>{seesAll() && <option value="always">{w.rulesView.layers.user}</option>}<option value="project">{w.rulesView.layers.own}</option></select>
			<p className="note">{w.rulesView.keptIn} <span className="mono">{scope === "project" ? data.project : data.user}</span> {w.settingsView.next}</p>
			<Failure error={problem} />
			<div className="buttons"><button type="submit" className="main" disabled={busy || value === ""}>{w.save}</button>{now !== undefined && <button type="button" className="plain" disabled={busy} onClick={() => void send(undefined)}>{w.settingsView.reset}</button>}<button type="button" className="plain" onClick={onDone}>{w.cancel}</button></div>
		</form>
	);
}
