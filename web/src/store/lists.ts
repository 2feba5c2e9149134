import { call, type EventAnswer, type Me, type Request, type Session, type Trust, type Workspace } from "../api/client";
import { draftsOf, giveBack, keep, kept, takeDrafts } from "./drafts";
import { Store } from "./store";

// What lists show: who is signed in, the sessions, and the approval requests of all workspaces.
export const me = new Store<Me | null | "out" | "away">(null); // null: not known yet; "away": the server did not answer when the page was opened
me.subscribe(() => me.get() === "out" && draftsOf());
export const workspaces = new Store<Workspace[]>([]);
export const sessions = new Store<Map<string, Session>>(new Map());
export const loaded = new Store<boolean>(false);

const inboxes = new Map<string, Request[]>(); // by workspace
export const inbox = new Store<Request[]>([]);

// Done is a request that somebody has answered, or that no longer holds, while the page was open.
export interface Done {
	request: Request;
	answer?: EventAnswer | undefined;
	void?: string | undefined;
	by?: string | undefined; // who changed the call, where that is why it is void
	written?: string[]; // for it, and not sent: it stays until it is dismissed
	time: number;
}
export const answered = new Store<Done[]>([]);
answered.subscribe(() => keep("not sent", answered.get().filter((d) => d.written)));

export function setInbox(dir: string, requests: Request[]) {
	for (const before of inboxes.get(dir) ?? []) {
		const now = requests.find((r) => keyOf(r) === keyOf(before));
		if (!now || (now.hash !== before.hash && kept(editKey(before)))) gone(before);
	}
	for (const again of requests.filter((r) => r.verdict.reason?.startsWith("an answer did not count, because "))) {
		const counted = (d: Done) => !!d.answer && keyOf(d.request) === keyOf(again);
		if (answered.get().some(counted)) answered.update((all) => all.map((d) => (counted(d) ? { ...d, answer: undefined, void: "not_counted" } : d)));
	}
	inboxes.set(dir, requests);
	inbox.set([...inboxes.values()].flat().sort((a, b) => Date.parse(b.time) - Date.parse(a.time)));
}

// early are answers whose request is still in the list, by their calls and the user's session: that of a sub-agent may be named or not.
const early = new Map<string, Pick<Done, "answer" | "void" | "by">>();
const keyOf = (r: { session: string; call: string }) => r.session + "/" + r.call;
const rootOf = (r: { root: string; call: string }) => r.root + "/" + r.call;

// editKey names the draft of the changed arguments of a request.
export const editKey = (r: Request) => `${keyOf(r)} ${r.hash} edit`;

function gone(request: Request) {
	const known = early.get(rootOf(request));
	early.delete(rootOf(request));
	answered.update((all) => [{ request, ...known, ...left(request), time: Date.now() }, ...all].filter((d, i) => i < 50 || d.written));
}

// left takes what is written for a request that is gone.
function left(r: Request): Pick<Done, "written"> {
	const args = r.args as Record<string, unknown>;
	const texts = (value: unknown): string[] => (typeof value === "string" ? [value] : Array.isArray(value) ? value.flatMap(texts) : Object.entries(value ?? {}).flatMap(([name, text]) => (text === args[name] ? [] : texts(text))));
	const written = takeDrafts(r).flatMap(([key, value]) => (key.endsWith(" choices") ? [] : texts(value))).filter((text) => text.trim());
	return written.length ? { written } : {};
}

// notSent puts back what was written for a request whose answer did not count.
export function notSent(r: Request, drafts: [string, unknown][]) {
	giveBack(drafts);
	if (!inbox.get().some((now) => keyOf(now) === keyOf(r) && now.hash === r.hash)) answered.update((all) => all.map((d) => (keyOf(d.request) === keyOf(r) && d.request.hash === r.hash ? { ...d, ...left(r) } : d)));
}

// dismiss forgets what was written for a request that is gone.
export const dismiss = (d: Done) => answered.update((all) => all.map((x) => (x === d ? { request: d.request, answer: d.answer, void: d.void, by: d.by, time: d.time } : x)));

// changers are those who changed a call, by the call: it asks again.
export const changers = new Store<Map<string, string>>(new Map());
export const changerOf = (all: Map<string, string>, r: { root: string; call: string }) => all.get(rootOf(r));

// setAnswered takes who has answered. It may come before or after the list without the request, and again when the call begins.
export function setAnswered(m: { root: string; call: string; answer?: EventAnswer; void?: string; by?: string }) {
	if (m.by) changers.update((all) => new Map(all).set(rootOf(m), m.by!));
	const known = { answer: m.answer, void: m.void, by: m.by };
	const at = answered.get().findIndex((d) => rootOf(d.request) === rootOf(m) && !d.answer && !d.void);
	if (at >= 0) answered.update((all) => all.map((d, i) => (i === at ? { ...d, ...known } : d)));
	else if (m.void || !answered.get().some((d) => rootOf(d.request) === rootOf(m) && d.answer)) early.set(rootOf(m), known);
}

// page is how many sessions the server lists at once.
export const page = 100;

// older are the workspaces of which older sessions may follow those that are here.
export const older = new Store<Set<string>>(new Set());

// setSessions takes the newest sessions of a workspace. The older ones that are here already stay.
export function setSessions(dir: string, list: Session[]) {
	const full = list.length >= page;
	const last = full ? list.at(-1)! : undefined;
	const follows = (s: Session) => last !== undefined && Date.parse(s.last) < Date.parse(last.last);
	if (full && ![...sessions.get().values()].some((s) => s.dir === dir && follows(s))) older.update((all) => new Set(all).add(dir));
	sessions.update((all) => {
		const next = new Map([...all].filter(([, s]) => s.dir !== dir || follows(s)));
		for (const s of list) next.set(s.id, s);
		return next;
	});
	loaded.set(true);
}

// loadOlder asks for the sessions that follow the last one of each workspace.
export async function loadOlder() {
	for (const dir of older.get()) {
		const last = byTime(sessions.get()).findLast((s) => s.dir === dir);
		const list = (await call<Session[] | null>("GET", `/sessions?dir=${encodeURIComponent(dir)}&limit=${page}${last ? `&before=${encodeURIComponent(last.last + "," + last.id)}` : ""}`)) ?? [];
		if (list.length < page) older.update((all) => new Set([...all].filter((d) => d !== dir)));
		list.forEach(addSession);
	}
}

export function setSession(s: Session) {
	sessions.update((all) => new Map(all).set(s.id, s));
}

// addSession takes a session from an answer: what the stream has said of it is newer.
export function addSession(s: Session) {
	if (!sessions.get().has(s.id)) setSession(s);
}

export function dropSession(id: string) {
	sessions.update((all) => new Map([...all].filter(([known]) => known !== id)));
}

export function byTime(all: Map<string, Session>): Session[] {
	return [...all.values()].sort((a, b) => Date.parse(b.last) - Date.parse(a.last));
}

let person: string | undefined; // who was signed in last

// setMe takes who is signed in. Another one than before gets a new page: what this one has read and written was for the one before.
export function setMe(who: Me) {
	if (person !== undefined && person !== who.name) return location.reload();
	person = who.name;
	draftsOf(person);
	if (answered.get().length === 0) answered.set((kept("not sent") as Done[] | undefined) ?? []);
	me.set(who);
}

// whoAmI asks who is signed in.
export async function whoAmI(signal?: AbortSignal) {
	try {
		setMe(await call<Me>("GET", "/me", undefined, signal));
		workspaces.set(await call<Workspace[]>("GET", "/workspaces", undefined, signal));
		void loadTrust();
	} catch (e) {
		if ((e as { status?: number }).status === 401) me.set("out");
		else throw e;
	}
}

// trust is what the folders of the workspaces make sessions obey.
export const trust = new Store<Trust[]>([]);

let asksTrust = 0; // answers may come in another order

// loadTrust reads it; what cannot be read stays as it was.
export async function loadTrust() {
	const n = ++asksTrust;
	await call<Trust[]>("GET", "/trust").then((v) => n === asksTrust && trust.set(v), () => undefined);
}

window.addEventListener("rein:out", () => void whoAmI().catch(() => undefined)); // who is not signed in any more is asked to, where something does not work for it

export function may(role: "approver" | "operator" | "owner"): boolean {
	const who = me.get();
	if (!who || typeof who === "string") return false;
	const order = ["viewer", "approver", "operator", "owner"];
	return order.indexOf(who.role) >= order.indexOf(role);
}

// seesAll reports whether who looks sees all workspaces: only such a user changes what holds for all.
export function seesAll(): boolean {
	const who = me.get();
	return !!who && typeof who === "object" && who.sees_all;
}

// myName is that of who looks at the page; the owner has none.
export function myName(): string {
	const who = me.get();
	return who && typeof who === "object" ? who.name : "";
}

// nameOf is the name of the session that a request is about, as it is called now, or as it was called then, with its workspace where
// there are several.
export function nameOf(r: Request): string {
	return [sessions.get().get(r.root)?.title || r.title || r.root, placeOf(r.dir)].filter(Boolean).join(" · ");
}

// placeOf is the name of a workspace, where there are several.
export function placeOf(dir: string): string {
	const all = workspaces.get();
	return all.length > 1 ? (all.find((x) => x.dir === dir)?.name ?? dir) : "";
}
