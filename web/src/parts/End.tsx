import { useEffect, useRef } from "react";

// End is at the end of what must be read before an approval, and tells once it is in view. name says of which part it is the end.
export function End({ name = "", seen }: { name?: string; seen: (name: string) => void }) {
	const end = useRef<HTMLSpanElement>(null);
	useEffect(() => {
		if (!end.current) return;
		const o = new IntersectionObserver((e) => e.some((x) => x.isIntersecting) && seen(name));
		o.observe(end.current);
		return () => o.disconnect();
	}, [name, seen]);
	return <span ref={end} className="seenend" />;
}
