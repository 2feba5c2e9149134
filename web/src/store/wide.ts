import { useSyncExternalStore } from "react";

// useWide reports whether the window has at least so many pixels of width.
export function useWide(pixels: number): boolean {
	const query = matchMedia(`(min-width: ${pixels}px)`);
	return useSyncExternalStore((l) => (query.addEventListener("change", l), () => query.removeEventListener("change", l)), () => query.matches);
}
