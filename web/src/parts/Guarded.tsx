import { Component, type ReactNode } from "react";
import { words } from "../words";

// Guarded shows what went wrong in a view in its place: the rest of the page continues.
export class Guarded extends Component<{ children: ReactNode }, { failed: unknown; at: string }> {
	override state = { failed: null as unknown, at: "" };
	static getDerivedStateFromError(failed: unknown) {
		return { failed, at: location.href };
	}
	static getDerivedStateFromProps(_: unknown, s: { failed: unknown; at: string }) {
		return s.failed && s.at !== location.href ? { failed: null, at: "" } : null; // another view is opened
	}
	override render() {
		if (!this.state.failed) return this.props.children;
		const w = words();
		return (
			<div className="page"><div className="empty" role="alert">
				<p className="big">{w.brokenView}</p>
				<p className="mono dim">{String((this.state.failed as Error).message ?? this.state.failed)}</p>
				<button type="button" className="main" onClick={() => location.reload()}>{w.reload}</button>
			</div></div>
		);
	}
}
