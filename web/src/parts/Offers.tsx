import { useEffect, useState, type KeyboardEvent } from "react";
import { call, type Names } from "../api/client";
import { best } from "../store/match";
import { useWords } from "../words";
import { Visible } from "./Text";

// Offer completes a word: a slash command at the beginning of a message, or a file after an @.
interface Offer { name: string; more?: string | undefined; text: string }

// word finds what the user is naming before the cursor.
export function word(text: string, cursor: number): { kind: "file" | "command"; from: number; letters: string } | null {
	const before = text.slice(0, cursor);
	const command = /^\/([^\s/]*)$/.exec(before);
	if (command) return { kind: "command", from: 0, letters: command[1]! };
	const file = /(?:^|\s)@("[^"\n]*|[^\s@"]*)$/.exec(before); // in quotes a name has blanks
	return file ? { kind: "file", from: cursor - file[1]!.length - 1, letters: file[1]!.replace(/^"/, "") } : null;
}

// useOffers returns what completes the word at the cursor, and the keys of the list. The names are asked for when the first word begins, and
// those with its letters where all are too many.
export function useOffers(session: string, text: string, cursor: number, put: (text: string, cursor: number) => void) {
	const w = useWords();
	const [names, setNames] = useState<Names | null>(null);
	const [at, setAt] = useState(0);
	const [shut, setShut] = useState(-1); // the beginning of the word whose list the user has closed
	const open = word(text, cursor);
	const kind = open?.kind;
	const [many, setMany] = useState(false); // the workspace has more files than one answer
	const letters = many && kind === "file" ? open?.letters ?? "" : "";
	useEffect(() => {
		if (!kind) return;
		const stop = new AbortController();
		call<Names>("GET", `/sessions/${session}/names${letters && "?letters=" + encodeURIComponent(letters)}`, undefined, stop.signal).then((n) => {
			setNames(n);
			if (n.more) setMany(true);
		}, () => undefined);
		return () => stop.abort();
	}, [kind, session, letters]);
	useEffect(() => setAt(0), [open?.letters, kind]);
	useEffect(() => {
		if (!open) setShut(-1);
	}, [open]);
	const all: Offer[] = !names || !open || shut === open.from ? [] : open.kind === "file"
		? names.files.map((f) => ({ name: f, text: /[ \t]/.test(f) ? `@"${f}" ` : `@${f} ` }))
		: [{ name: "compact", more: w.compactNow, text: "/compact " }, ...names.commands.map((c) => ({ name: c.name, more: [c.hint, c.about].filter(Boolean).join(" · "), text: `/${c.name} ` }))];
	const offers = open ? best(all, open.letters, 8) : [];
	const take = (o: Offer) => open && put(text.slice(0, open.from) + o.text + text.slice(cursor).replace(/^\S* ?/, ""), open.from + o.text.length);
	return {
		offers, at, take,
		// press reports whether the list took a key.
		press(e: KeyboardEvent): boolean {
			if (offers.length === 0 || e.nativeEvent.isComposing || e.ctrlKey || e.metaKey) return false;
			if (e.key === "ArrowDown" || e.key === "ArrowUp") setAt((at + (e.key === "ArrowDown" ? 1 : -1) + offers.length) % offers.length);
			else if (e.key === "Enter" || e.key === "Tab") take(offers[at] ?? offers[0]!);
			else if (e.key === "Escape") setShut(open?.from ?? -1);
			else return false;
			e.preventDefault();
			return true;
		},
	};
}

// Offers is the list above the field. The field keeps the focus.
export function Offers({ offers, at, take, kind }: { offers: Offer[]; at: number; take: (o: Offer) => void; kind: string }) {
	const w = useWords();
	return (
		<>
			<p role="status" className="away">{offers.length > 0 ? w.offered(offers.length) : ""}</p>
			{offers.length > 0 && (
				<ul id="offers" role="listbox" className="offers" aria-label={kind}>
					{offers.map((o, i) => <li key={o.name} id={"offer" + i} role="option" aria-selected={i === at} onMouseDown={(e) => (e.preventDefault(), take(o))}><span className="mono one"><Visible text={o.name} /></span>{o.more && <span className="dim one">{o.more}</span>}</li>)}
				</ul>
			)}
		</>
	);
}
