import { useCallback, useEffect, useState } from "react";
import { connect } from "../store/line";
import { me, whoAmI } from "../store/lists";
import { useWords } from "../words";
import { Knot } from "./Knot";
import { Head } from "./Shell";
import { Ticks } from "./Text";

const wait = 5; // seconds between tries

// NotConnected is what the page shows when it was opened without its server. It continues by itself when the server answers.
export function NotConnected() {
	const w = useWords();
	const [left, setLeft] = useState(wait);
	const [busy, setBusy] = useState(false);
	const again = useCallback(async () => {
		setBusy(true);
		try {
			await whoAmI();
			if (me.get() !== "out") connect();
		} catch {
			setLeft(wait);
			setBusy(false);
		}
	}, []);
	useEffect(() => {
		if (busy) return;
		const t = window.setTimeout(() => (left > 1 ? setLeft(left - 1) : void again()), 1000);
		return () => clearTimeout(t);
	}, [left, busy, again]);
	return (
		<>
			<Head title={w.offline} sub={location.host} />
			<div className="page">
				<div className="empty" role="status">
					<Knot state="refused" />
					<p className="big">{w.away.title}</p>
					<p className="dim"><Ticks text={w.away.more} /></p>
					<button type="button" className="main" disabled={busy} onClick={() => void again()}>{w.tryAgain}</button>
				</div>
				<p className="note">{busy ? w.away.trying : w.away.next(left)}</p>
			</div>
		</>
	);
}
