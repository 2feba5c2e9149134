import { useEffect, useState } from "react";
import { base, type Attachment } from "../api/client";
import { Store } from "./store";

const drafts = new Map<string, unknown>();

// useDraft is a state for what somebody writes, by a key: for a request, for a new session. It stays while another view is shown, and while the card of the
// request is out of sight or drawn anew after a restart of the server. What was there at first is no draft.
export function useDraft<T>(key: string, first: () => T): [T, (change: T | ((now: T) => T)) => void] {
	const [was] = useState(first);
	const [value, set] = useState<T>(() => (drafts.has(key) ? (drafts.get(key) as T) : was));
	useEffect(() => void (same(value, was) ? drafts.delete(key) : drafts.set(key, value)), [key, value, was]);
	return [value, set];
}

// useChange is a draft of a change of what others change, too: it stays when they do, and meanwhile reports that they did. What changes nothing is no draft.
export function useChange<T extends object>(key: string, now: T): [T, (change: Partial<T>) => void, boolean] {
	const [{ value, was }, set] = useState<{ value: T; was: T }>(() => (drafts.get(key) as { value: T; was: T } | undefined) ?? { value: now, was: now });
	useEffect(() => void (same(value, was) ? drafts.delete(key) : drafts.set(key, { value, was })), [key, value, was]);
	return [value, (change) => set((d) => ({ ...d, value: { ...d.value, ...change } })), !same(was, now)];
}
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

// drafted reports whether there is a draft.
export const drafted = (key: string): boolean => drafts.has(key);

// forget ends drafts that were sent, or that nobody wants any more.
export function forget(...keys: string[]) {
	keys.forEach((key) => drafts.delete(key));
}

// takeDrafts takes all that is written for a request, as when it is sent; giveBack puts it back.
export function takeDrafts(r: { session: string; call: string }): [string, unknown][] {
	const all = [...drafts].filter(([key]) => key.startsWith(`${r.session}/${r.call} `));
	all.forEach(([key]) => forget(key));
	return all;
}
export const giveBack = (all: [string, unknown][]) => all.forEach(([key, value]) => drafts.set(key, value));

// keep keeps a value with the drafts, and kept has it again when the page was loaded again.
export const keep = (key: string, value: unknown) => void drafts.set(key, value);
export const kept = (key: string): unknown => drafts.get(key);

// messages are drafts by session, so that nothing lands in another one, and change also while another view is shown. One that was sent keeps the id
// of its message until the server has it: sent again, it is the same message. uploads are the names of files that are under way, and notTaken says
// why others were not taken.
export interface Draft { text: string; files: Attachment[]; uploads: string[]; notTaken: string[]; sent?: { what: string; id: string } | undefined }
export const messages = new Store<Map<string, Draft>>(new Map());

const place = "rein.drafts " + base; // in the storage of this tab
let writer: string | undefined; // whose they are; undefined: nobody is signed in

// draftsOf has the drafts that were kept when the page was loaded again, if this person wrote them. Else, as after a sign-out, they are gone.
export function draftsOf(who?: string) {
	if (who === writer) return;
	writer = who;
	const kept = JSON.parse(sessionStorage.getItem(place) ?? "null") as { who: string; views: [string, unknown][]; messages: [string, Draft][] } | null;
	sessionStorage.removeItem(place);
	if (kept?.who !== who || !kept) return;
	for (const [key, value] of kept.views) drafts.set(key, value);
	messages.set(new Map(kept.messages));
}

window.addEventListener("pagehide", () => {
	if (writer === undefined) return;
	const written = [...messages.get()].filter(([, d]) => d.text || d.files.length > 0).map(([id, d]) => [id, { ...d, uploads: [], notTaken: [] }]);
	try {
		sessionStorage.setItem(place, JSON.stringify({ who: writer, views: [...drafts], messages: written }));
	} catch { /* they are too long for this browser */ }
});
