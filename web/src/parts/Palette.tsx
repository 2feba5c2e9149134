import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { byTime, inbox, may, sessions } from "../store/lists";
import { look } from "../store/look";
import { useStore } from "../store/store";
import { keysHere, stateOf, useWords, waits } from "../words";
import { Choose } from "./Choose";
import { Sheet } from "./Sheet";
import { keyOf, useViews } from "../views";

// held stops a key that is held down from answering, here and in what opens under it: its first press counts. Those that move, and fields, repeat.
function held(e: KeyboardEvent) {
	const at = e.target as HTMLElement;
	if (!e.repeat || (e.key.length > 1 && e.key !== "Enter") || e.key === "j" || e.key === "k" || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && !(e.ctrlKey || e.metaKey)) return;
	if (e.key === " " && !at.closest("button, summary")) return; // it scrolls
	if ((e.ctrlKey || e.metaKey) && e.key !== "Enter") return; // the browser's own
	e.preventDefault();
	e.stopImmediatePropagation();
}

interface Command { name: string; more?: string; do: () => void }

// Keys are the keys of the whole page: the palette, the list of keys, and letters that move.
export function Keys() {
	const [open, setOpen] = useState<"" | "palette" | "keys">("");
	const [, go] = useLocation();
	const before = useRef<{ key: string; time: number }>({ key: "", time: 0 });
	const w = useWords();
	useEffect(() => {
		const press = (e: KeyboardEvent) => {
			if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
				e.preventDefault();
				setOpen((o) => (o === "palette" ? "" : "palette"));
				return;
			}
			const at = e.target as HTMLElement;
			if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !look.get().letters || e.isComposing || document.querySelector("dialog[open]")) return;
			if (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && (at as HTMLInputElement).type !== "checkbox") return;
			const after = before.current.key === "g" && performance.now() - before.current.time < 1200;
			before.current = { key: e.key, time: performance.now() };
			const to = keyOf(e.key);
			if (after && to) {
				e.preventDefault();
				go(to);
				window.setTimeout(() => document.getElementById("main")?.focus(), 0);
			} else if (e.key === "?") setOpen("keys");
			else if (e.key === "j" || e.key === "k") window.dispatchEvent(new CustomEvent("rein:move", { detail: e.key === "j" ? 1 : -1 }));
			else if (e.key === "[" || e.key === "]") {
				const pager = document.querySelectorAll<HTMLButtonElement>(".pager button");
				if (pager.length > 0) pager[e.key === "[" ? 0 : pager.length - 1]?.click();
				else window.dispatchEvent(new CustomEvent("rein:turn", { detail: e.key === "[" ? -1 : 1 }));
			} else if (e.key === "Y") document.querySelector<HTMLButtonElement>(".batch button.main")?.click();
			else if (e.key === "c" || e.key === "/") {
				const f = document.getElementById(e.key === "c" ? "composer" : "search");
				if (f) {
					e.preventDefault();
					f.focus();
				}
			} else if (e.key === "d") look.update((l) => ({ ...l, split: !l.split }));
			else if (e.key === ".") document.querySelector<HTMLButtonElement>(".composer .no")?.click();
		};
		window.addEventListener("keydown", press);
		return () => window.removeEventListener("keydown", press);
	}, [go]);
	useEffect(() => {
		window.addEventListener("keydown", held, true);
		return () => window.removeEventListener("keydown", held, true);
	}, []);
	if (open === "palette") return <Palette onClose={() => setOpen("")} onKeys={() => setOpen("keys")} />;
	if (open === "keys") return <Sheet title={w.keys} onClose={() => setOpen("")}><dl className="keys">{Object.entries(w.keyList).map(([k, v]) => <div key={k}><dt><kbd>{keysHere(k)}</kbd></dt><dd>{v}</dd></div>)}</dl></Sheet>;
	return null;
}

function Palette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
	const w = useWords();
	const [, go] = useLocation();
	const views = useViews();
	const all = byTime(useStore(sessions));
	const waiting = useStore(inbox);
	const l = useStore(look);
	const commands = useMemo<Command[]>(() => [
		...views.map((v) => ({ name: v.name, do: () => go(v.path) })),
		...(may("operator") ? [{ name: w.newSession, do: () => (go("/sessions"), window.setTimeout(() => window.dispatchEvent(new Event("rein:new")), 50)) }] : []),
		{ name: w.keys, more: "?", do: onKeys },
		...(["system", "light", "dark"] as const).map((t) => ({ name: `${w.theme}: ${w[t]}`, do: () => look.update((l) => ({ ...l, theme: t })) })),
		{ name: l.split ? w.unified : w.sideBySide, more: "d", do: () => look.update((x) => ({ ...x, split: !x.split })) },
		...waiting.map((r) => ({ name: r.title || r.root, more: waits(w), do: () => go("/s/" + r.root) })),
		...all.slice(0, 50).map((s) => ({ name: s.title || s.id, more: stateOf(w, s.state), do: () => go("/s/" + s.id) })),
	], [views, all, waiting, w, l]); // eslint-disable-line
	return <Choose title={w.palette} all={commands} onClose={onClose} onChoose={(c) => c.do()} />;
}
