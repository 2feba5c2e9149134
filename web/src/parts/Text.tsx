import type { ReactNode } from "react";
import { useWords } from "../words";

// Characters that change how text is read and that nobody sees: directions, zero width, controls.
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

// allVisible reports whether a text has no character that Visible marks.
export const allVisible = (text: string): boolean => text.search(hidden) < 0;

// inNames has line breaks and tabs too: in a name they look like a blank.
const inNames = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

// turning are those that turn the direction. Prose needs some of the others: emoji, Persian, Arabic and Hebrew have them.
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

// Visible shows text with a mark for each character that is invisible or turns the direction; in prose, only for those that turn it.
export function Visible({ text, prose, name }: { text: string; prose?: boolean; name?: boolean }): ReactNode {
	const w = useWords();
	const marked = prose ? turning : name ? inNames : hidden;
	if (text.search(marked) < 0) return text;
	const out: ReactNode[] = [];
	let last = 0;
	for (const m of text.matchAll(marked)) {
		out.push(text.slice(last, m.index));
		const code = "U+" + m[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
		out.push(<span key={m.index} className="hidden-char" title={w.hidden(code)}>{code}</span>);
		last = m.index + m[0].length;
	}
	out.push(text.slice(last));
	return out;
}

interface Style { fg: string; bold: boolean; underline: boolean }

// Terminal shows a line of a program's output: colours, bold and underline; all other control sequences are left out, so that
// no output can hide or move what others wrote.
export function Terminal({ text }: { text: string }): ReactNode {
	if (!text.includes("\x1b")) return <Visible text={text} />;
	const out: ReactNode[] = [];
	let style: Style = { fg: "", bold: false, underline: false };
	let last = 0;
	// eslint-disable-next-line no-control-regex
	const sequence = /\x1b(?:\[([0-9;]*)([A-Za-z])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
	const add = (part: string, key: number) => {
		if (!part) return;
		const names = [style.fg, style.bold ? "bold" : "", style.underline ? "underline" : ""].filter(Boolean).join(" ");
		out.push(names ? <span key={key} className={names}><Visible text={part} /></span> : <Visible key={key} text={part} />);
	};
	for (const m of text.matchAll(sequence)) {
		add(text.slice(last, m.index), last);
		last = m.index + m[0].length;
		if (m[2] === "m") style = sgr(style, m[1] ?? "");
	}
	add(text.slice(last), last);
	return out;
}

const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function sgr(before: Style, codes: string): Style {
	let s = before;
	for (const c of codes.split(";").map(Number)) {
		if (c === 0) s = { fg: "", bold: false, underline: false };
		else if (c === 1) s = { ...s, bold: true };
		else if (c === 4) s = { ...s, underline: true };
		else if (c === 22) s = { ...s, bold: false };
		else if (c === 24) s = { ...s, underline: false };
		else if (c === 39) s = { ...s, fg: "" };
		else if (c >= 30 && c <= 37) s = { ...s, fg: "t-" + colours[c - 30] };
		else if (c >= 90 && c <= 97) s = { ...s, fg: "t-" + colours[c - 90] };
		else if (c === 38 || c === 48) break; // colours by number are not shown
	}
	return s;
}

// Ticks draws what is between backticks as code. It is for the page's own words.
export function Ticks({ text }: { text: string }): ReactNode {
	return text.split("`").map((p, i) => (i % 2 ? <code key={i}>{p}</code> : p));
}
