import { heading } from "../parts/AskCard";
import { reasonOf, words } from "../words";
import { inbox, sessions } from "./lists";
import { look } from "./look";
import { script } from "./script";
import { Store } from "./store";

// What the browser does for the page beyond its tab: the shell that is kept for times without a server, and notifications.

// keepShell lets the browser keep the shell. Browsers allow it only over TLS and on this machine; elsewhere the page works without.
export function keepShell() {
	if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
	navigator.serviceWorker.register(script("shell")).catch(() => undefined);
	navigator.serviceWorker.onmessage = (m: MessageEvent<{ go?: string }>) => m.data.go && open(m.data.go);
}

function open(path: string) {
	history.pushState(null, "", document.baseURI.replace(/\/$/, "") + path);
	dispatchEvent(new PopStateEvent("popstate"));
}

// Install is the browser's offer to install the page as an app of its own, while it makes one.
interface Install extends Event { prompt(): Promise<unknown> }
export const install = new Store<Install | null>(null);
window.addEventListener("beforeinstallprompt", (e) => (e.preventDefault(), install.set(e as Install)));
window.addEventListener("appinstalled", () => install.set(null));

export const canNotify = () => "Notification" in window;

// allowNotify asks for the permission. Browsers want that it follows a click.
export async function allowNotify(): Promise<boolean> {
	if (!canNotify()) return false;
	const yes = Notification.permission === "granted" || (await Notification.requestPermission()) === "granted";
	look.update((l) => ({ ...l, notify: yes, offered: true }));
	return yes;
}

// show shows a notification, while the page is open and hidden.
async function show(title: string, body: string, tag: string, path: string) {
	if (!document.hidden || !look.get().notify || !canNotify() || Notification.permission !== "granted") return;
	const kept = await navigator.serviceWorker?.getRegistration();
	if (kept?.active) return kept.showNotification(title, { tag, body, data: path, icon: "icon-192.png" }); // phones allow no other way
	new Notification(title, { tag, body, icon: "icon-192.png" }).onclick = () => (window.focus(), open(path));
}

// notifyOfNew follows the requests and the turns.
export function notifyOfNew(): () => void {
	const known = new Set<string>();
	let first = true;
	const requests = inbox.subscribe(() => {
		for (const r of inbox.get()) {
			const key = r.session + r.call + r.hash;
			if (!known.has(key) && !first) void show(heading(words(), r), [r.title, reasonOf(words(), r.verdict)].filter(Boolean).join("\n"), key, "/s/" + r.root);
			known.add(key);
		}
		first = false;
	});
	let before = sessions.get();
	const turns = sessions.subscribe(() => {
		const now = sessions.get();
		for (const s of now.values()) {
			const ended = before.get(s.id)?.state === "working" && (s.state === "idle" || s.state === "failed");
			if (ended && (s.state === "failed" || look.get().notifyEnds)) void show(s.title || s.id, words().states[s.state] ?? s.state, s.id, "/s/" + s.id);
		}
		before = now;
	});
	return () => (requests(), turns());
}
