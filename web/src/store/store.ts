import { useSyncExternalStore } from "react";

// Store is a value that views follow. set replaces it; a value does not change once it is set.
export class Store<T> {
	private listeners = new Set<() => void>();
	constructor(private value: T) {}
	get = (): T => this.value;
	set(value: T) {
		if (Object.is(value, this.value)) return;
		this.value = value;
		for (const l of [...this.listeners]) l();
	}
	update(change: (value: T) => T) {
		this.set(change(this.value));
	}
	subscribe = (l: () => void) => {
		this.listeners.add(l);
		return () => void this.listeners.delete(l);
	};
}

export function useStore<T>(store: Store<T>): T {
	return useSyncExternalStore(store.subscribe, store.get);
}
