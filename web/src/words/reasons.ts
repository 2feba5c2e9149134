import messages from "../../../app/tui/text/messages.zh.txt?raw";
import table from "../../../app/tui/text/reasons.zh.txt?raw";

// Row is a reason that checks give, in English and in Chinese. % in the English words stands for what is not known beforehand; %1 in the
// Chinese ones is the first of it, and {1} is it in Chinese where it is a reason itself.
interface Row { fits: RegExp; chinese: string; known: number }

const made = new Map<string, Row[]>(); // of a table, when the first of it is translated

// What a row may begin with, as %: at the beginning of a reason it is a name, not the words of another reason; a message may begin with the name of
// a provider.
const name = "(\\S+)", anything = "(.*?)";

const rows = (table: string, begins: string): Row[] => made.get(table) ?? made.set(table, table.trim().split("\n").map((line) => {
	const at = line.indexOf(" = "), english = line.slice(0, at);
	const first = english.startsWith("%: ") ? "(the model|\\S+)" : begins;
	const pattern = english.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/^%/, () => first).replaceAll("%", "(.*?)");
	const ends = english.startsWith(", ") ? "(.+)" : ""; // it follows another reason
	return { fits: new RegExp(`^${ends}${pattern}$`, "s"), chinese: (ends && "{0}") + line.slice(at + 3), known: english.replaceAll("%", "").length };
}).sort((a, b) => b.known - a.known)).get(table)!;

// fitted fills the first row that fits; inner translates a part that is a text itself.
function fitted(table: string, begins: string, text: string, inner: (text: string) => string | undefined): string | undefined {
	for (const { fits, chinese } of rows(table, begins)) {
		const found = fits.exec(text)?.slice(1);
		if (!found) continue;
		const from = chinese.startsWith("{0}") ? 0 : 1; // the number of the first
		return chinese.replace(/%([1-9])|\{([0-9])\}/g, (_, plain?: string, again?: string) => {
			const words = found[Number(plain ?? again) - from] ?? "";
			return again === undefined ? words : inner(words) ?? words;
		});
	}
}

// inChinese translates a reason, or the part of one between semicolons; undefined: the table does not have it.
function inChinese(reason: string): string | undefined {
	const [, program, rest] = /^([^\s:]+): (.+)$/s.exec(reason) ?? [];
	const words = rest && inChinese(rest);
	return words ? `${program}：${words}` : fitted(table, name, reason, inChinese);
}

// translated is a reason in Chinese; undefined where one of its parts has no words.
export function translated(reason: string): string | undefined {
	const parts = reason.split("; ").map(inChinese);
	return parts.includes(undefined) ? undefined : parts.join("；");
}

// message is what a session says by itself, in Chinese: its first line, because what follows is for the model or the words of others.
export function message(text: string): string {
	const [line = "", ...rest] = text.split("\n");
	const own = (t: string): string | undefined => fitted(messages, anything, t, own) ?? translated(t) ?? listed(t);
	const listed = (t: string): string | undefined => { // what is known of a list
		const parts = t.split("; ");
		const known = parts.length > 1 ? parts.map(own) : [];
		return known.some(Boolean) ? parts.map((p, i) => known[i] ?? p).join("；") : undefined;
	};
	return [own(line) ?? line, ...rest].join("\n");
}
