import { useEffect, useRef, useState } from "react";
import { away, Problem } from "../api/client";
import { line } from "../store/line";
import { useStore } from "../store/store";
import { problemText, said, useWords } from "../words";

// Failure says what did not work, in the user's language where the problem is known. That nobody answered is said until somebody does.
export function Failure({ error }: { error: unknown }) {
	const w = useWords();
	const now = useStore(line).state;
	const before = useRef(now);
	const [over, setOver] = useState<unknown>(null);
	useEffect(() => {
		if (before.current === "broken" && now === "open") setOver(error);
		before.current = now;
	}, [now, error]);
	if (!error || (away(error) && over === error)) return null;
	const p = error instanceof Problem ? error : null;
	const known = p && problemText(w, p);
	return <p className="failure" role="alert">{known ?? `${w.problem}: ${said(w, (error as Error).message)}`}</p>;
}
