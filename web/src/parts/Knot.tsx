import type { Session } from "../api/client";

// Knot shows a state by shape as well as by colour: ○ a person, ● done, ■ running, ◇ waits, ▬ refused.
export type KnotState = "person" | "done" | "running" | "waits" | "refused" | "quiet" | "said";

export function Knot({ state }: { state: KnotState }) {
	return (
		<svg className={"knot " + state} width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
			{state === "person" && <circle cx="6" cy="6" r="4" className="edge" />}
			{state === "done" && <circle cx="6" cy="6" r="4" />}
			{state === "quiet" && <circle cx="6" cy="6" r="2" />}
			{state === "running" && <><rect x="2" y="2" width="8" height="8" className="edge" /><rect x="2" y="2" width="8" height="8" className="fill" /></>}
			{state === "waits" && <path d="M6 1.5 10.5 6 6 10.5 1.5 6Z" className="edge" />}
			{state === "refused" && <rect x="2" y="4.5" width="8" height="3" />}
		</svg>
	);
}

// knotOf is that of a session. One in trouble looks so, whatever it does.
export function knotOf(s: Pick<Session, "state" | "damaged" | "unreadable" | "unrecorded" | "trouble">): KnotState {
	if (s.damaged || s.unreadable || s.unrecorded || s.trouble?.stuck) return "refused";
	return ({ working: "running", waiting: "waits", idle: "done", failed: "refused", cancelled: "quiet", interrupted: "quiet" } as Record<string, KnotState>)[s.state] ?? "quiet";
}
