import { useEffect, useState } from "react";

const drafts = new Map<string, unknown>();

// useDraft is a state for what somebody writes for the request of that key. It stays while another view is shown, and while the card of the
// request is out of sight or drawn anew after a restart of the server.
export function useDraft<T>(key: string, first: () => T): [T, (change: T | ((now: T) => T)) => void] {
	const [value, set] = useState<T>(() => (drafts.has(key) ? (drafts.get(key) as T) : first()));
	useEffect(() => void drafts.set(key, value), [key, value]);
	return [value, set];
}
