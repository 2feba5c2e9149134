import { script } from "./script";

// Piece is a part of code with the class of its colour; "" is plain.
export interface Piece { t: string; c: string }

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, (p: Piece[] | null) => void>();

// highlight finds the colours of code in a worker; null when the worker does not know the language.
export function highlight(text: string, language: string): Promise<Piece[] | null> {
	if (!worker) {
		worker = new Worker(script("colours"), { type: "module" });
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
