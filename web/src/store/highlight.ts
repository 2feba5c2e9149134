import workerURL from "./highlight.worker?worker&url";

// Piece is a part of code with the class of its colour; "" is plain.
export interface Piece { t: string; c: string }

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, (p: Piece[] | null) => void>();

declare global {
	interface Window {
		trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string } };
	}
}

// The only policy of the page: it allows the script of this worker and nothing else.
const policy = window.trustedTypes?.createPolicy("rein", {
	createScriptURL(url) {
		if (url !== workerURL) throw new TypeError("not a script of this page");
		return url;
	},
});

// highlight finds the colours of code in a worker; null when it knows the language not.
export function highlight(text: string, language: string): Promise<Piece[] | null> {
	if (!worker) {
		worker = new Worker(policy ? policy.createScriptURL(workerURL) : workerURL, { type: "module" });
		worker.onmessage = (m: MessageEvent<{ id: number; pieces: Piece[] | null }>) => {
			waiting.get(m.data.id)?.(m.data.pieces);
			waiting.delete(m.data.id);
		};
	}
	const id = ++last;
	return new Promise((done) => {
		waiting.set(id, done);
		worker?.postMessage({ id, text, language });
	});
}
