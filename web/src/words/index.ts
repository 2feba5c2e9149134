import { look } from "../store/look";
import { useStore } from "../store/store";
import { en, type Words } from "./en";
import { zh } from "./zh";

export type { Words } from "./en";
export const languages: Words[] = [en, zh];

export function words(): Words {
	const chosen = look.get().language || navigator.language || "en";
	return languages.find((w) => w.code === chosen) ?? languages.find((w) => w.code.slice(0, 2) === chosen.toLowerCase().slice(0, 2)) ?? en;
}

// useWords gives the words in the user's language, and renders again when the language changes.
export function useWords(): Words {
	useStore(look);
	return words();
}

// Times and numbers as the language writes them.
export function clock(time: string | number | Date): string {
	return new Intl.DateTimeFormat(words().code, { hour: "2-digit", minute: "2-digit" }).format(new Date(time));
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
	return s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

// since writes how long ago a time is, for lists: 0:42, 11 min, 2 h, 3 d.
export function since(time: string, now: number): string {
	const s = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
	if (s < 120) return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
	const unit = (n: number, unit: "minute" | "hour" | "day") => new Intl.NumberFormat(words().code, { style: "unit", unit, unitDisplay: "short" }).format(n);
	if (s < 7200) return unit(Math.floor(s / 60), "minute");
	if (s < 172_800) return unit(Math.floor(s / 3600), "hour");
	return unit(Math.floor(s / 86_400), "day");
}

// short is the name of a model without its provider.
export function short(model: string): string {
	return model.startsWith("script/") ? model.slice(model.lastIndexOf("/") + 1) : model.slice(model.indexOf("/") + 1);
}
