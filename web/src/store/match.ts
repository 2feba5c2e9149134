// best returns the names that fit a few letters, the best first: names that begin with them, then those in which a word or the last
// part of a path does, then those that have them anywhere, then those that have them in their order.
export function best<T extends { name: string }>(all: readonly T[], letters: string, most: number): T[] {
	const want = letters.trim().toLowerCase();
	if (!want) return all.slice(0, most);
	const found: { it: T; score: number }[] = [];
	for (const it of all) {
		const score = fit(it.name.toLowerCase(), want);
		if (score > 0) found.push({ it, score });
	}
	return found.sort((a, b) => b.score - a.score || a.it.name.length - b.it.name.length).slice(0, most).map((f) => f.it);
}

function fit(name: string, want: string): number {
	if (name.startsWith(want)) return 6;
	const last = name.slice(name.lastIndexOf("/") + 1);
	if (last.startsWith(want)) return 5;
	if (name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(want))) return 4;
	if (want.split(/\s+/).every((word) => name.includes(word))) return 3;
	return inOrder(last, want) ? 2 : inOrder(name, want) ? 1 : 0;
}

// inOrder reports whether a name has the letters in their order.
function inOrder(name: string, letters: string): boolean {
	let at = 0;
	for (const l of letters) {
		at = name.indexOf(l, at) + 1;
		if (at === 0) return false;
	}
	return true;
}
