import { useEffect, useState } from "react";

// useNow returns the time, again each second while the page is seen.
export function useNow(): number {
	const [now, set] = useState(Date.now);
	useEffect(() => {
		const t = window.setInterval(() => !document.hidden && set(Date.now()), 1000);
		return () => clearInterval(t);
	}, []);
	return now;
}
