import type { components } from "./types";

type Schemas = components["schemas"];
export type Event = Schemas["EventEvent"];
export type Request = Schemas["Request"];
export type Session = Schemas["Session"];
export type Trouble = Schemas["Trouble"];
export type Me = Schemas["Me"];
export type Workspace = Schemas["Workspace"];
export type Answered = Schemas["Answered"];
export type Entry = Schemas["Entry"];
export type Usage = Schemas["ModelUsage"];
export type Undone = Schemas["Undone"];
export type Found = Schemas["Found"];
export type Counted = Schemas["Counted"];
export type Spent = Schemas["Spent"];
export type Trust = Schemas["Trust"];
export type TrustItem = Schemas["TrustItem"];
export type TrustText = Schemas["TrustText"];
export type Agent = Schemas["Agent"];
export type Skills = Schemas["Skills"];
export type Skill = Schemas["Skill"];
export type Defined = Schemas["Defined"];
export type Memory = Schemas["Memory"];
export type ToolServer = Schemas["ToolServer"];
export type LoginAddress = Schemas["LoginAddress"];
export type Schedule = Schemas["Schedule"];
export type Queued = Schemas["Queued"];
export type User = Schemas["User"];
export type NewSchedule = Schemas["NewSchedule"];
export type Run = Schemas["Run"];
export type Attachment = Schemas["Attachment"];
export type File = Schemas["File"];
export type Changes = Schemas["Changes"];
export type GitChanges = Schemas["GitChanges"];
export type Explained = Schemas["Explained"];
export type FileText = Schemas["FileText"];
export type Job = Schemas["Job"];
export type JobOutput = Schemas["JobOutput"];
export type Model = Schemas["Model"];
export type Names = Schemas["Names"];
export type Step = Schemas["Step"];
export type Listing = Schemas["Listing"];
export type Rule = Schemas["Rule"];
export type RuleChanged = Schemas["RuleChanged"];
export type Rules = Schemas["Rules"];
export type Settings = Schemas["Settings"];
export type Simulated = Schemas["Simulated"];
export type EventAnswer = Schemas["EventAnswer"];

// Problem is an error of the server, as RFC 9457 writes it. kind names it, so that the page can word it.
export class Problem extends Error {
	constructor(public status: number, public kind: string, detail: string) {
		super(detail);
	}
}

// away reports whether nobody answered: no server, or only something before it.
export function away(e: unknown): boolean {
	return e instanceof Problem && (e.status === 0 || (e.status >= 502 && e.status <= 504));
}

// base is where the interface is: the page may be served below a path.
export const base = new URL(".", document.baseURI).pathname;

export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
	let answer: Response, text: string;
	try {
		answer = await fetch(base + "v1" + path, {
			method, signal: signal ?? null, credentials: "same-origin",
			headers: method === "GET" ? {} : { "Content-Type": "application/json" },
			body: method === "GET" ? null : JSON.stringify(body ?? {}),
		});
		text = await answer.text(); // it may be cut, too
	} catch (e) {
		if (signal?.aborted) throw e;
		throw new Problem(0, "network", String(e));
	}
	if (answer.status === 204) return undefined as T;
	const value = parsed(text);
	if (answer.ok && value === undefined) throw new Problem(0, "network", "this is no answer of rein");
	const kind = String(value?.type ?? "").replace("urn:rein:problem:", "");
	if (kind === "signed_out" && path !== "/me") window.dispatchEvent(new Event("rein:out"));
	if (!answer.ok) throw new Problem(answer.status, kind, value?.detail ?? answer.statusText);
	return value as T;
}

// parsed reads an answer. It gives undefined where it is no JSON, as from something before the server.
function parsed(text: string): { type?: string; detail?: string } | null | undefined {
	try {
		return JSON.parse(text || "{}");
	} catch {
		return undefined;
	}
}
