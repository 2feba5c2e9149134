import { Component, type ReactNode } from "react";
import { useLocation, useSearch } from "wouter";
import { words } from "../words";

// Guarded shows what went wrong in a view in its place: the rest of the page continues, and so do other views.
export function Guarded({ children }: { children: ReactNode }) {
	const [path] = useLocation();
	return <Boundary at={path + "?" + useSearch()}>{children}</Boundary>;
}

class Boundary extends Component<{ at: string; children: ReactNode }, { failed: unknown; at: string }> {
	override state = { failed: null as unknown, at: this.props.at };
	static getDerivedStateFromError(failed: unknown) {
		return { failed };
	}
	static getDerivedStateFromProps({ at }: { at: string }, s: { at: string }) {
		return s.at !== at ? { failed: null, at } : null; // another view is opened
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
