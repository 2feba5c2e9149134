import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const all = createLowlight({ bash, c, cpp: c, css, go, ini, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml });
all.registerAlias({ bash: ["sh", "shell", "console"], typescript: ["ts", "tsx"], javascript: ["js", "jsx"], python: ["py"], yaml: ["yml"], ini: ["toml"], xml: ["html", "svg"] });

interface Node { type: string; value?: string; children?: Node[]; properties?: { className?: string[] } }

const roles: Record<string, string> = {
	keyword: "k", built_in: "k", literal: "n", type: "k", string: "s", regexp: "s", number: "n", comment: "m", title: "f", attr: "k", tag: "k", name: "k", symbol: "n", section: "f", meta: "m", variable: "n", property: "k",
};

onmessage = (m: MessageEvent<{ id: number; text: string; language: string }>) => {
	const { id, text, language } = m.data;
	if (!all.registered(language)) return postMessage({ id, pieces: null });
	const pieces: { t: string; c: string }[] = [];
	const walk = (n: Node, c: string) => {
		if (n.value !== undefined) {
			const before = pieces.at(-1);
			if (before && before.c === c) before.t += n.value;
			else pieces.push({ t: n.value, c });
			return;
		}
		const name = n.properties?.className?.[0]?.replace("hljs-", "") ?? "";
		for (const child of n.children ?? []) walk(child, roles[name] ? "c-" + roles[name] : c);
	};
	walk(all.highlight(language, text) as unknown as Node, "");
	postMessage({ id, pieces });
};
