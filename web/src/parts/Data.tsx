import { useCallback, useEffect, useRef, useState } from "react";
import { call, type Session } from "../api/client";
import { workspaces } from "../store/lists";
import { Store, useStore } from "../store/store";
import { useWords } from "../words";

interface Got<T> { of: string; data: T | null; problem: unknown }

// subject is what a path is about: a search for other words is about the same, another workspace is not.
function subject(path: string): string {
	const [name, query] = path.split("?");
	return `${name} ${new URLSearchParams(query).get("dir") ?? ""}`;
}

const longest = 10_000; // ms: a request that takes longer is given up when its view asks again

// useData asks the server for what a view shows, and again when the path changes or after reload. An empty path asks nothing.
// What was shown stays until the new answer is here, if that is about the same. A reload lets a request that is under way end:
// on a slow network one that is made often would have no answer.
export function useData<T>(path: string): { data: T | null; problem: unknown; reload: () => void } {
	const of = subject(path);
	const [got, setGot] = useState<Got<T>>({ of, data: null, problem: null });
	const ask = useRef(() => {});
	useEffect(() => {
		if (!path) return;
		let asked: AbortController | undefined, begun = 0, again = false;
		const look = () => {
			again = !!asked && Date.now() - begun < longest;
			if (again) return;
			asked?.abort();
			const stop = (asked = new AbortController());
			begun = Date.now();
			const end = (next: (now: Got<T>) => Got<T>) => {
				if (stop.signal.aborted) return;
				asked = undefined;
				setGot(next);
				if (again) look();
			};
			call<T>("GET", path, undefined, stop.signal).then((data) => end(() => ({ of, data, problem: null })), (problem) => end((now) => ({ of, data: now.of === of ? now.data : null, problem })));
		};
		ask.current = look;
		look();
		return () => {
			asked?.abort();
			ask.current = () => {};
		};
	}, [path, of]);
	const known = got.of === of;
	return { data: known ? got.data : null, problem: known ? got.problem : null, reload: useCallback(() => ask.current(), []) };
}

// useFresh asks again when one of the sessions has begun or ended a turn, and when the page is shown again.
export function useFresh(reload: () => void, of: Session[]) {
	const state = of.map((s) => s.id + s.state + s.last).join();
	const first = useRef(state);
	useEffect(() => {
		if (state !== first.current) reload();
		first.current = state;
	}, [state, reload]);
	useEffect(() => {
		const again = () => document.visibilityState === "visible" && reload();
		document.addEventListener("visibilitychange", again);
		return () => document.removeEventListener("visibilitychange", again);
	}, [reload]);
}

// useAction runs one thing at a time that the user asked for, and keeps why it failed. The answer is whether it did not.
export function useAction(): { busy: boolean; problem: unknown; run: (what: () => Promise<unknown>) => Promise<boolean> } {
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<unknown>(null);
	const at = useRef(false);
	const run = useCallback(async (what: () => Promise<unknown>) => {
		if (at.current) return false;
		at.current = true;
		setBusy(true);
		setProblem(null);
		try {
			await what();
			return true;
		} catch (e) {
			setProblem(e);
			return false;
		} finally {
			at.current = false;
			setBusy(false);
		}
	}, []);
	return { busy, problem, run };
}

const chosen = new Store("");

// useDir returns the workspace whose parts the views show: the one that the user chose, or the first.
export function useDir(): string {
	const all = useStore(workspaces);
	const dir = useStore(chosen);
	return all.find((x) => x.dir === dir)?.dir ?? all[0]?.dir ?? "";
}

// WorkspaceChoice chooses the workspace, where there are several.
export function WorkspaceChoice() {
	const w = useWords();
	const all = useStore(workspaces);
	const dir = useDir();
	if (all.length < 2) return null;
	return <select className="choice-dir" aria-label={w.workspace} value={dir} onChange={(e) => chosen.set(e.target.value)}>{all.map((x) => <option key={x.dir} value={x.dir}>{x.name}</option>)}</select>;
}

// inDir adds the workspace to a path.
export function inDir(path: string, dir: string): string {
	return dir && `${path}${path.includes("?") ? "&" : "?"}dir=${encodeURIComponent(dir)}`;
}
