import type { Problem, Session, Trouble } from "../api/client";
import { may } from "../store/lists";
import { look } from "../store/look";
import { useStore } from "../store/store";
import { en, type Words } from "./en";
import { message, translated } from "./reasons";
import { zh } from "./zh";

export type { Words } from "./en";
export const languages: Words[] = [en, zh];

export function words(): Words {
	const chosen = look.get().language || navigator.language || "en";
	return languages.find((w) => w.code === chosen) ?? languages.find((w) => w.code.slice(0, 2) === chosen.toLowerCase().slice(0, 2)) ?? en;
}

// waits is what a request, or a session with one, does for who looks.
export const waits = (w: Words): string => (may("approver") ? w.waits : w.waitsForAnswer);

// stateOf names the state of a session.
export const stateOf = (w: Words, state: string): string => (state === "waiting" ? waits(w) : (w.states[state] ?? state));

// useWords gives the words in the user's language, and renders again when the language changes.
export function useWords(): Words {
	useStore(look);
	return words();
}

// reasonOf is why checks decided as they did, in the page's language. A reason that the table does not have, as that of an own rule, stays
// as it is, behind what kinds of effects were found.
export function reasonOf(w: Words, verdict: { reason?: string; rules?: string[] | null; rule_at?: string }): string {
	const { reason = "", rules, rule_at: place } = verdict;
	const shown = place ? reason.replace(` (${place})`, "") : reason; // the place of the rule is shown beside it
	if (w !== zh || !shown) return shown;
	const kinds = (rules ?? []).map((r) => w.checks[r] ?? w.checks[r.replace(/^(shell|path|host|loop)\./, "")]).filter(Boolean);
	return translated(shown) ?? [[...new Set(kinds)].join("；"), shown].filter(Boolean).join(" · ");
}

// said is what a session says by itself, in the page's language: a notice, an error of a provider, why a call did not run.
export function said(w: Words, text: string): string {
	return w === zh ? message(text) : text;
}

// formWord is a plan or a text of the form of a tool server, with what rein itself has put into it in the page's language.
export function formWord(w: Words, text: string): string {
	return w.formWords.reduce((t, [english, own]) => t.replace(english, own as string), text);
}

// originName says in the page's language where words come from: a kind, and what it is. The longest kind counts.
export function originName(w: Words, from: string): string {
	const kinds = Object.keys(w.origins).filter((k) => from === k || from.startsWith(k + " ")).sort((a, b) => b.length - a.length);
	return kinds[0] ? w.origins[kinds[0]] + from.slice(kinds[0].length) : from;
}

// Times and numbers as the language writes them.
// keysHere names keys as the keyboard of this machine has them.
export function keysHere(text: string): string {
	return /Mac|iPhone|iPad/.test(navigator.platform) ? text.replace("Ctrl+", "⌘") : text;
}

export function clock(time: string | number | Date): string {
	return new Intl.DateTimeFormat(words().code, { hour: "2-digit", minute: "2-digit" }).format(new Date(time));
}

export function clockSeconds(time: number): string {
	return new Intl.DateTimeFormat(words().code, { timeStyle: "medium" }).format(time);
}

// dayName writes a day without its time, as short as it is clear: today, Nov 20, Nov 20, 2025.
export function dayName(time: string | number | Date): string {
	const d = new Date(time), now = new Date();
	if (d.toDateString() === now.toDateString()) return new Intl.RelativeTimeFormat(words().code, { numeric: "auto" }).format(0, "day");
	return new Intl.DateTimeFormat(words().code, { month: "short", day: "numeric", ...(d.getFullYear() === now.getFullYear() ? {} : { year: "numeric" }) }).format(d);
}

// ago writes how long ago something was, for lists in which seconds do not matter.
export function ago(time: string, now: number): string {
	return now - Date.parse(time) < 60_000 ? words().justNow : since(time, now, 60);
}

export function dateTime(time: string | number | Date): string {
	return new Intl.DateTimeFormat(words().code, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}

export function number(n: number): string {
	return new Intl.NumberFormat(words().code).format(n);
}

// size words a number of bytes.
export function size(n: number): string {
	const [unit, by] = n < 1000 ? ["byte", 1] : n < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
	return new Intl.NumberFormat(words().code, { style: "unit", unit: unit as string, unitDisplay: n < 1000 ? "long" : "short", maximumFractionDigits: 1 }).format(n / (by as number));
}

export function money(n: number): string {
	return new Intl.NumberFormat(words().code, { style: "currency", currency: "USD", maximumFractionDigits: n < 0.1 ? 4 : 2 }).format(n);
}

// took writes a duration of nanoseconds: 38 ms, 2.4 s, 3 min 5 s.
export function took(ns: number): string {
	const ms = ns / 1e6;
	if (ms < 1) return "<1 ms";
	if (ms < 1000) return `${Math.round(ms)} ms`;
	if (ms < 60_000) return `${number(Math.round(ms / 100) / 10)} s`;
	const s = Math.round(ms / 1000);
	const [large, small, names] = s < 3600 ? [Math.floor(s / 60), s % 60, ["min", "s"]] : [Math.floor(s / 3600), Math.floor((s % 3600) / 60), ["h", "min"]];
	return `${large} ${names[0]}${small ? ` ${small} ${names[1]}` : ""}`;
}

// problemText is what a problem of the server is called; undefined where the page has no words for it. What is too large is followed by the limit.
export function problemText(w: Words, p: Problem): string | undefined {
	const most = p.kind === "too_large" && /\d+/.exec(p.message)?.[0];
	return most ? `${w.problems.too_large}: ${size(Number(most))}` : w.problems[p.kind];
}

// since writes how long ago a time is, for lists: 0:42, 11 min, 2 h, 3 d.
export function since(time: string, now: number, exact = 120): string {
	const s = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
	if (s < exact) return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
	const unit = (n: number, unit: "minute" | "hour" | "day") => new Intl.NumberFormat(words().code, { style: "unit", unit, unitDisplay: "short" }).format(n);
	if (s < 7200) return unit(Math.floor(s / 60), "minute");
	if (s < 172_800) return unit(Math.floor(s / 3600), "hour");
	return unit(Math.floor(s / 86_400), "day");
}

// troubleOf says what is wrong with what is recorded of a session; "" where nothing is.
export function troubleOf(w: Words, s: Session): string {
	return s.trouble ? stuckText(w, s.trouble) : s.unrecorded ? w.unrecorded(s.unrecorded) : s.unreadable ? w.unreadable : s.damaged ? w.damaged(s.damaged) : "";
}

// stuckText says why nothing happens in a session that runs on other machines, and what helps.
function stuckText(w: Words, t: Trouble): string {
	const text = w.troubles[t.kind]?.(t.queue ?? "", t.why ?? "");
	if (!text) return t.text;
	const of = t.session ? w.troubleOf(t.session) : "";
	return of + (t.do ? `${text} ${w.troubleDo(t.do.startsWith("rein-temporal ") ? "`" + t.do + "`" : t.do)}` : text);
}

// short is the name of a model without its provider.
export function short(model: string): string {
	return model.startsWith("script/") ? model.slice(model.lastIndexOf("/") + 1) : model.slice(model.indexOf("/") + 1);
}
