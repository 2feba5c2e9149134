import { Lexer, type Token, type Tokens } from "marked";
import { memo, type ReactNode } from "react";
import { useWords } from "../words";
import { CodeBlock } from "./Code";
import { Visible } from "./Text";

// Markdown is drawn as elements: no HTML is made from text. A block that is complete is drawn once; only the last one
// is read again while text comes. An answer that ends keeps its blocks: the browser remembers the heights of those that are out of
// sight, and a reader's place depends on them.
export const Markdown = memo(function Markdown({ text }: { text: string }) {
	const all = blocks(text);
	const links = JSON.stringify(all.reduce(definitions, {})); // blocks may refer to links that others define
	return <div className="md">{all.map((p, i) => <Block key={i} text={p} links={links} />)}</div>;
});

type Links = Lexer["tokens"]["links"];

// definitions adds the links that a block defines. The first definition of a name counts.
function definitions(before: Links, block: string): Links {
	return /^ {0,3}\[[^\]\n]+\]:/m.test(block) ? { ...read(block)?.links, ...before } : before;
}

// read gives null for what is nested too deep to read.
function read(block: string, links?: Links) {
	const lexer = new Lexer({ gfm: true });
	Object.assign(lexer.tokens.links, links);
	try {
		return lexer.lex(block);
	} catch {
		return null;
	}
}

// blocks cuts text at empty lines that are not in fenced code.
export function blocks(text: string): string[] {
	const out: string[] = [];
	let fence = "", begin = 0, at = 0;
	while (at < text.length) {
		let end = text.indexOf("\n", at);
		if (end < 0) end = text.length;
		const l = text.slice(at, end);
		const f = /^ {0,3}(`{3,}|~{3,})/.exec(l)?.[1];
		if (f && !fence) fence = f;
		else if (f && fence && f[0] === fence[0] && f.length >= fence.length) fence = "";
		at = end + 1;
		if (!fence && l.trim() === "" && !/^(\s{2,}|\t|[-*+] |\d+[.)] |>|\|)/.test(text.slice(at, at + 8))) {
			if (text.slice(begin, at).trim()) out.push(text.slice(begin, at));
			begin = at;
		}
	}
	if (text.slice(begin).trim()) out.push(text.slice(begin));
	return out;
}

const Block = memo(function Block({ text, links }: { text: string; links: string }) {
	const tokens = read(text, JSON.parse(links));
	if (!tokens) return <p><Visible text={text} prose /></p>;
	return <div className="block">{tokens.map((t, i) => draw(t, i, 0))}</div>;
});

const deepest = 24; // lists and quotes in each other; what is deeper is shown as text

function draw(t: Token, key: number, depth: number): ReactNode {
	if (depth > deepest) return <span key={key}><Visible text={t.raw} prose /></span>;
	const inside = () => ("tokens" in t && t.tokens ? t.tokens.map((c, i) => draw(c, i, depth + 1)) : <Visible text={"text" in t ? String(t.text) : t.raw} prose />);
	switch (t.type) {
		case "space":
		case "def":
			return null;
		case "paragraph":
			return <p key={key}>{inside()}</p>;
		case "heading": {
			const H = `h${Math.min(6, (t as Tokens.Heading).depth + 2)}` as "h3";
			return <H key={key}>{inside()}</H>;
		}
		case "code":
			return <CodeBlock key={key} text={(t as Tokens.Code).text} language={(t as Tokens.Code).lang ?? ""} />;
		case "blockquote":
			return <blockquote key={key}>{inside()}</blockquote>;
		case "list": {
			const l = t as Tokens.List;
			const items = l.items.map((item, i) => (
				<li key={i}>
					{item.task && <input type="checkbox" checked={!!item.checked} disabled aria-label={item.text} />}
					{item.tokens.filter((c) => c.type !== "checkbox").map((c, n) => (c.type === "text" && "tokens" in c && c.tokens ? <span key={n}>{c.tokens.map((x, m) => draw(x, m, depth + 2))}</span> : draw(c, n, depth + 2)))}
				</li>
			));
			return l.ordered ? <ol key={key} start={Number(l.start) || 1}>{items}</ol> : <ul key={key}>{items}</ul>;
		}
		case "table": {
			const table = t as Tokens.Table;
			return (
				<div key={key} className="scroll" tabIndex={0}>
					<table>
						<thead><tr>{table.header.map((c, i) => <th key={i}>{c.tokens.map((x, n) => draw(x, n, depth + 1))}</th>)}</tr></thead>
						<tbody>{table.rows.map((r, i) => <tr key={i}>{r.map((c, n) => <td key={n}>{c.tokens.map((x, m) => draw(x, m, depth + 1))}</td>)}</tr>)}</tbody>
					</table>
				</div>
			);
		}
		case "hr":
			return <hr key={key} />;
		case "strong":
			return <strong key={key}>{inside()}</strong>;
		case "em":
			return <em key={key}>{inside()}</em>;
		case "del":
			return <del key={key}>{inside()}</del>;
		case "codespan":
			return <code key={key}><Visible text={(t as Tokens.Codespan).text} /></code>;
		case "br":
			return <br key={key} />;
		case "link":
			return <Link key={key} href={(t as Tokens.Link).href} text={(t as Tokens.Link).text}>{inside()}</Link>;
		case "image":
			return <Remote key={key} text={(t as Tokens.Image).text} href={(t as Tokens.Image).href} />;
		case "escape":
			return <span key={key}><Visible text={(t as Tokens.Escape).text} prose /></span>;
		case "text":
			return "tokens" in t && t.tokens ? <span key={key}>{inside()}</span> : <span key={key}><Visible text={unescape(t.raw)} prose /></span>;
	}
	return <span key={key} className="raw"><Visible text={t.raw} prose /></span>; // HTML is text
}

// unescape reads the few entities that people write.
function unescape(text: string): string {
	return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, n: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[n] ?? _);
}

// Link shows where it leads, unless its text is that address.
function Link({ href, text, children }: { href: string; text: string; children: ReactNode }) {
	const w = useWords();
	let url: URL | null = null;
	try {
		url = new URL(href);
	} catch {
		url = null;
	}
	if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return <span className="raw">{children} (<Visible text={href} />)</span>;
	return (
		<a href={url.href} target="_blank" rel="noreferrer noopener" title={w.link(url.host)}>
			{children}
			{url.host && text !== url.host && text !== url.origin && !text.startsWith(url.origin + "/") && <span className="host"> {url.host}</span>}
		</a>
	);
}

// A remote image is never loaded: its address could carry data away.
function Remote({ text, href }: { text: string; href: string }) {
	const w = useWords();
	return <span className="tag" title={href}>{w.remoteImage}: <Visible text={text || href} /></span>;
}
