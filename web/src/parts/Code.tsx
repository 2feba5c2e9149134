import { useEffect, useState } from "react";
import { useWords } from "../words";
import { highlight, type Piece } from "../store/highlight";
import { Copy } from "./Copy";
import { Visible } from "./Text";

// CodeBlock shows code; a worker finds the colours when the block is complete. numbers counts the lines.
export function CodeBlock({ text, language, numbers }: { text: string; language: string; numbers?: boolean }) {
	const pieces = useColours(text, language);
	const w = useWords();
	return (
		<div className={numbers ? "code numbered" : "code"}>
			<pre className="scroll" tabIndex={0} aria-label={language || w.output}>{numbers && <span className="gutter" aria-hidden="true">{Array.from({ length: text.replace(/\n$/, "").split("\n").length }, (_, i) => i + 1).join("\n")}</span>}<code>{pieces ? pieces.map((p, i) => (p.c ? <span key={i} className={p.c}><Visible text={p.t} /></span> : <Visible key={i} text={p.t} />)) : <Visible text={text} />}</code></pre>
			<Copy text={text} />
		</div>
	);
}

export function useColours(text: string, language: string): Piece[] | null {
	const [pieces, set] = useState<Piece[] | null>(null);
	useEffect(() => {
		set(null);
		if (!language || text.length > 200_000) return;
		let gone = false;
		const wait = window.setTimeout(() => void highlight(text, language).then((p) => !gone && set(p)), 60);
		return () => {
			gone = true;
			clearTimeout(wait);
		};
	}, [text, language]);
	return pieces;
}

const byEnding: Record<string, string> = {
	go: "go", ts: "typescript", tsx: "typescript", js: "javascript", jsx: "javascript", mjs: "javascript", py: "python", rs: "rust", sh: "bash", bash: "bash", json: "json", yaml: "yaml", yml: "yaml",
	md: "markdown", css: "css", html: "xml", xml: "xml", sql: "sql", toml: "ini", ini: "ini", java: "java", c: "c", h: "c", cpp: "cpp", cc: "cpp", rb: "ruby",
};

export function languageOf(path: string): string {
	return byEnding[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "";
}
