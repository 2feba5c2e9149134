import { useEffect, useState } from "react";

const drafts = new Map<string, unknown>();

// useDraft is a state for what somebody writes, by a key: for a request, for a new session. It stays while another view is shown, and while the card of the
// request is out of sight or drawn anew after a restart of the server.
export function useDraft<T>(key: string, first: () => T): [T, (change: T | ((now: T) => T)) => void] {
	const [value, set] = useState<T>(() => (drafts.has(key) ? (drafts.get(key) as T) : first()));
	useEffect(() => void drafts.set(key, value), [key, value]);
	return [value, set];
}

// forget ends a draft that was sent.
export function forget(key: string) {
	drafts.delete(key);
}
