import table from "../../../app/tui/text/reasons.zh.txt?raw";

// Row is a reason that checks give, in English and in Chinese. % in the English words stands for what is not known beforehand; %1 in the
// Chinese ones is the first of it, and {1} is it in Chinese where it is a reason itself.
interface Row { fits: RegExp; chinese: string; known: number }

let known: Row[] | undefined; // made when the first reason is translated

const rows = (): Row[] => (known ??= table.trim().split("\n").map((line) => {
	const at = line.indexOf(" = "), english = line.slice(0, at);
	// At the beginning % is a name, not the words of another reason.
	const pattern = english.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/^%/, "(\\S+)").replaceAll("%", "(.+?)");
	const ends = english.startsWith(", ") ? "(.+)" : ""; // it follows another reason
	return { fits: new RegExp(`^${ends}${pattern}$`, "s"), chinese: (ends && "{0}") + line.slice(at + 3), known: english.replaceAll("%", "").length };
}).sort((a, b) => b.known - a.known));

// inChinese translates a reason, or the part of one between semicolons; undefined: the table does not have it.
function inChinese(reason: string): string | undefined {
	const [, program, rest] = /^([^\s:]+): (.+)$/s.exec(reason) ?? [];
	const words = rest && inChinese(rest);
	if (words) return `${program}：${words}`;
	for (const { fits, chinese } of rows()) {
		const found = fits.exec(reason)?.slice(1);
		if (!found) continue;
		const from = chinese.startsWith("{0}") ? 0 : 1; // the number of the first
		return chinese.replace(/%([1-9])|\{([0-9])\}/g, (_, plain?: string, again?: string) => {
			const words = found[Number(plain ?? again) - from] ?? "";
			return again === undefined ? words : inChinese(words) ?? words;
		});
	}
}

// translated is a reason in Chinese; undefined where one of its parts has no words.
export function translated(reason: string): string | undefined {
	const parts = reason.split("; ").map(inChinese);
	return parts.includes(undefined) ? undefined : parts.join("；");
}
