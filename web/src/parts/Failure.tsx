import { Problem } from "../api/client";
import { useWords } from "../words";

// Failure says what did not work, in the user's language where the problem is known.
export function Failure({ error }: { error: unknown }) {
	const w = useWords();
	if (!error) return null;
	const p = error instanceof Problem ? error : null;
	const known = p && w.problems[p.kind];
	return <p className="failure" role="alert">{known ?? `${w.problem}: ${(error as Error).message}`}</p>;
}
