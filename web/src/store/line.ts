import { base, call, type Event, type Me, type Request, type Session } from "../api/client";
import { dropSession, me, setAnswered, setInbox, setMe, setSession, setSessions, whoAmI } from "./lists";
import { random } from "./id";
import { Store } from "./store";
import { Talk } from "./talk";

// The line to the server: one event stream for all tabs of the browser, because a browser opens only six connections to one
// server over HTTP/1.1. The tab that holds a lock reads the stream and passes on what it gets; when it closes, another one
// takes over.

export interface Line { state: "connecting" | "open" | "broken"; since: number; restarted: boolean; newer?: string }
export const line = new Store<Line>({ state: "connecting", since: Date.now(), restarted: false });

const talks = new Map<string, Talk>();
const watched = new Map<string, number>(); // session → how many views of this tab show it

// talk returns the talk of a session, also of a sub-agent's.
export function talk(id: string): Talk {
	let t = talks.get(id);
	if (!t) talks.set(id, (t = new Talk(id)));
	return t;
}

// eventsBefore asks for events of a session before those that are here: a page of them, or those since the one of a number.
export async function eventsBefore(t: Talk, from = Infinity): Promise<Event[]> {
	let events: Event[] = [];
	for (let first = t.first; first > 1 && (first > from || events.length === 0); first = events[0]?.seq ?? 1) {
		const page = await call<{ events: Event[] | null }>("GET", `/sessions/${t.id}/events?limit=1000&before=${first}`);
		if (!page.events?.length) break;
		events = [...page.events, ...events];
	}
	return events;
}

// watch follows a session until the function that it gives is called.
export function watch(id: string): () => void {
	watched.set(id, (watched.get(id) ?? 0) + 1);
	want();
	return () => {
		const n = (watched.get(id) ?? 1) - 1;
		if (n > 0) watched.set(id, n);
		else window.setTimeout(() => {
			if ((watched.get(id) ?? 0) <= 1) watched.delete(id); // nobody came back to it
			want();
		}, 10_000);
	};
}

interface Want { t: "want"; tab: string; ids: string[]; have: Record<string, number> }
type Message = Want | { t: "frame"; name: string; data: string } | { t: "line"; line: Line } | { t: "ask" } | { t: "bye"; tab: string } | { t: "login" } | { t: "logout" };

const tab = random();
const channel = new BroadcastChannel("rein " + base);
const tabs = new Map<string, Want & { seen: number }>();
let leading = false;
let source: EventSource | null = null;
let showing = ""; // what the open stream watches
let alive = 0; // when the stream gave something last
let failures = 0;
let retry = 0;
let boot = "", version = "";

function tell(m: Message) {
	channel.postMessage(m);
}

function have(ids: string[]): Record<string, number> {
	const out: Record<string, number> = {};
	const add = (id: string) => {
		const t = talks.get(id);
		if (!t?.seq) return;
		out[id] = t.seq;
		t.children.forEach(add);
	};
	ids.forEach(add);
	return out;
}

function mine(): Want {
	const ids = [...watched.keys()].slice(0, 16);
	return { t: "want", tab, ids, have: have(ids) };
}

function want() {
	tell(mine());
	if (leading) follow(mine());
}

// follow is the leader's: it opens the stream again when another session is wanted.
function follow(w: Want) {
	tabs.set(w.tab, { ...w, seen: Date.now() });
	for (const [id, t] of tabs) if (Date.now() - t.seen > 60_000) tabs.delete(id);
	const ids = [...new Set([...tabs.values()].flatMap((t) => t.ids))].sort().slice(0, 60);
	if ((ids.join() !== showing || !source) && me.get() !== "out") open(ids);
}

// cursor is what every tab has: a tab that has nothing of a session gets its last page.
function cursor(ids: string[]): string {
	const least = new Map<string, number>();
	const without = new Set<string>();
	for (const t of tabs.values()) {
		const all = t.tab === tab ? have(t.ids) : t.have;
		for (const id of t.ids) if (!all[id]) without.add(id);
		for (const [id, n] of Object.entries(all)) least.set(id, Math.min(n, least.get(id) ?? n));
	}
	for (const id of ids) if (without.has(id)) least.delete(id);
	return [...least].map(([id, n]) => `${id}:${n}`).join(",");
}

const names = ["hello", "inbox", "sessions", "session", "answered", "reset", "event", "snapshot", "unknown", "deleted", "ping"];

function open(ids: string[]) {
	clearTimeout(retry);
	source?.close();
	showing = ids.join();
	const query = new URLSearchParams({ watch: ["inbox", "sessions", ...ids.map((id) => "s:" + id)].join(","), after: cursor(ids) });
	const s = (source = new EventSource(`${base}v1/events?${query}`));
	alive = Date.now();
	for (const name of names) {
		s.addEventListener(name, (m) => {
			if (s !== source) return;
			alive = Date.now();
			failures = 0;
			const data = (m as MessageEvent<string>).data;
			tell({ t: "frame", name, data });
			frame(name, data);
			if (name === "hello") state("open");
		});
	}
	s.onerror = () => s === source && again();
}

// again opens the stream again, after a while: at most longest, or longestHidden where nobody looks. The browser would give up after some errors.
function again() {
	source?.close();
	source = null;
	state("broken");
	const wait = Math.min(document.hidden ? longestHidden : longest, 500 * 2 ** failures++) * (0.7 + Math.random() * 0.6);
	clearTimeout(retry);
	retry = window.setTimeout(() => void back(), wait);
}

const longest = 2000, longestHidden = 15_000; // ms
let asking: AbortController | undefined; // whether the server is back

// back opens the stream again if the server answers.
async function back() {
	clearTimeout(retry);
	asking?.abort();
	const asked = (asking = new AbortController());
	const late = window.setTimeout(() => asked.abort(), 5000); // a network that is gone may never say so
	try {
		await whoAmI(asked.signal);
	} catch {
		return asked === asking ? again() : undefined;
	} finally {
		clearTimeout(late);
	}
	if (asked === asking && me.get() !== "out") open(showing ? showing.split(",") : []);
}

// look asks at once when the browser has its network again, or the page is shown again.
function look() {
	if (leading && connected && !source && !document.hidden) void back();
}

// reopen opens the stream again at once: another tab needs the lists, or somebody has signed in.
function reopen() {
	failures = 0;
	open(showing ? showing.split(",") : []);
}

function state(now: Line["state"]) {
	const before = line.get();
	if (before.state === now) return;
	setLine({ ...before, state: now, since: Date.now() });
	tell({ t: "line", line: line.get() });
}

function setLine(l: Line) {
	line.set(l);
}

function frame(name: string, text: string) {
	const data = JSON.parse(text);
	switch (name) {
		case "hello":
			if (boot && boot !== (data as Me).boot) setLine({ ...line.get(), restarted: true });
			boot = data.boot;
			if (version && version !== (data as Me).version) setLine({ ...line.get(), newer: (data as Me).version });
			version ||= (data as Me).version;
			setMe(data);
			return;
		case "inbox":
			return setInbox(data.dir, (data.requests ?? []) as Request[]);
		case "sessions":
			return setSessions(data.dir, data.sessions as Session[]);
		case "session":
			return setSession(data as Session);
		case "answered":
			return setAnswered(data);
		case "reset":
			return talk(data.session).reset(data.first, data.start);
		case "deleted":
			dropSession(data.session);
			return talk(data.session).missing();
		case "unknown":
			return talk(data.session).missing();
		case "event":
			return talk((data as Event).session ?? "").see(data as Event);
		case "snapshot":
			for (const id of [data.session as string, ...Object.keys(data.at ?? {})]) talk(id).liveState(data.answers ?? [], (data.outputs ?? []).filter((o: { session: string }) => o.session === id), (data.notices ?? []).filter((e: Event) => e.session === id));
	}
}

function lead() {
	leading = true;
	tell({ t: "ask" });
	window.setTimeout(() => follow(mine()), 60);
	window.setInterval(() => {
		if (source && Date.now() - alive > 35_000) again();
	}, 5000);
}

// connect begins to follow the server. It is called once somebody is signed in.
let connected = false;
export function connect() {
	if (connected) {
		if (leading) reopen();
		else tell({ t: "login" });
		return;
	}
	connected = true;
	const who = me.get();
	if (who && typeof who === "object") version = who.version; // of the server that gave this page
	channel.onmessage = (m: MessageEvent<Message>) => {
		const d = m.data;
		switch (d.t) {
			case "want":
				return leading ? follow(d) : undefined;
			case "ask":
				return leading ? undefined : tell(mine());
			case "bye":
				tabs.delete(d.tab);
				return;
			case "login":
				return me.get() === "out" ? void whoAmI().then(() => leading && reopen(), () => undefined) : leading ? reopen() : undefined;
			case "logout":
				return void whoAmI().catch(() => undefined); // one who signed out in one tab did so in all
			case "frame":
				return leading ? undefined : frame(d.name, d.data);
			case "line":
				return leading ? undefined : setLine(d.line);
		}
	};
	window.addEventListener("online", look);
	window.addEventListener("offline", () => leading && source && again());
	document.addEventListener("visibilitychange", look);
	window.addEventListener("pagehide", () => tell({ t: "bye", tab }));
	if (navigator.locks) void navigator.locks.request("rein stream " + base, () => (lead(), new Promise<never>(() => undefined)));
	else lead(); // without locks each tab has a stream of its own
	window.setInterval(want, 20_000);
	want();
	// A tab that follows needs the lists too: the leader opens the stream again for it.
	window.setTimeout(() => {
		if (!leading && line.get().state === "connecting") tell({ t: "login" });
	}, 400);
}

// signedIn tells the other tabs, which may have been signed out.
export function signedIn() {
	tell({ t: "login" });
}

// disconnect ends the stream, when somebody signs out, and tells the other tabs.
export function disconnect() {
	source?.close();
	source = null;
	tell({ t: "logout" });
}
