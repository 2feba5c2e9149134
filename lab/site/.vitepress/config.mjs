// The site of the documents: npm ci && npm run build writes dist. The pages are those of docs, the order is that of docs/README.md.
import fs from "node:fs";
import { defineConfig } from "vitepress";

const docs = new URL("../../../docs/", import.meta.url).pathname;

// sidebar reads the tables of a site map: a group for each heading, a link for each page that is there.
function sidebar(file, base) {
	const groups = [];
	for (const line of fs.readFileSync(docs + file, "utf8").split("\n")) {
		if (line.startsWith("## ")) groups.push({ text: line.slice(3), items: [] });
		const cells = line.split("|");
		if (cells.length < 3 || !groups.length) continue;
		for (const [, page] of cells[1].matchAll(/\]\(([^)]+)\.md\)/g)) {
			const name = base + page;
			const path = new URL(name, "file:///").pathname;
			groups.at(-1).items.push({ text: title(path), link: path });
		}
	}
	return groups.filter((g) => g.items.length);
}

function title(path) {
	const first = fs.readFileSync(docs + path.slice(1) + ".md", "utf8").match(/^# (.*)$/m);
	return first ? first[1].split(":")[0].split("：")[0] : path;
}

// maintainers lists their pages by the table of their own site map.
function maintainers() {
	return [{ text: "Maintainers", items: fs.readdirSync(docs + "maintainers").filter((f) => f.endsWith(".md") && f !== "README.md")
		.map((f) => ({ text: title("/maintainers/" + f.slice(0, -3)), link: "/maintainers/" + f.slice(0, -3) })) }];
}

export default defineConfig({
	title: "rein",
	description: "The harness between a language model and the world",
	srcDir: "../../docs",
	outDir: "./dist",
	cacheDir: "./.cache",
	base: process.env.REIN_SITE_BASE ?? "/",
	cleanUrls: true,
	lastUpdated: false,
	rewrites: { "README.md": "index.md", "zh/README.md": "zh/index.md", "maintainers/README.md": "maintainers/index.md" },
	ignoreDeadLinks: [/SECURITY|LICENSE|CONTRIBUTING|\.json$|\.ya?ml$/],
	// Angle brackets and braces of the pages are text, as on GitHub; only comments are HTML.
	markdown: { html: false, theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
		config: (md) => {
			for (const kind of ["text", "code_inline"]) { // two braces are text here, not an expression
				const rule = md.renderer.rules[kind];
				md.renderer.rules[kind] = (...a) => rule(...a).replaceAll("{{", "&#123;&#123;");
			}
			md.renderer.rules.code_block = (tokens, i) => `<pre v-pre tabindex="0"><code>${md.utils.escapeHtml(tokens[i].content)}</code></pre>`;
			md.core.ruler.before("normalize", "hash", (state) => { state.src = state.src.replace(/^<!-- .*? -->\n+/gm, ""); });
		} },
	// The pages lie outside of this directory, so what they import is looked for here.
	vite: { resolve: { alias: [{ find: /^vue(\/server-renderer)?$/, replacement: new URL("../node_modules/vue$1", import.meta.url).pathname }] },
		build: { chunkSizeWarningLimit: 4000 } },
	themeConfig: {
		search: { provider: "local", options: { miniSearch: { options: { tokenize: words } },
			locales: { zh: { translations: { button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
				modal: { noResultsText: "没有结果", resetButtonTitle: "清除", footer: { selectText: "选择", navigateText: "移动", closeText: "关闭" } } } } } } },
		outline: [2, 3],
	},
	locales: {
		root: { label: "English", lang: "en", themeConfig: { sidebar: { "/maintainers/": maintainers(), "/": sidebar("README.md", "/") } } },
		zh: { label: "中文", lang: "zh-CN", description: "语言模型与世界之间的缰绳", themeConfig: {
			sidebar: { "/zh/": sidebar("zh/README.md", "/zh/") }, outline: { level: [2, 3], label: "本页内容" }, docFooter: { prev: "上一页", next: "下一页" },
			darkModeSwitchLabel: "主题", lightModeSwitchTitle: "切换到浅色", darkModeSwitchTitle: "切换到深色", sidebarMenuLabel: "目录", returnToTopLabel: "回到顶部", langMenuLabel: "语言", skipToContentLabel: "跳到正文" } },
	},
});

// words cuts a text for the search: words of letters, and each character of a script without blanks together with its neighbour.
function words(text) {
	const all = [];
	for (const [run] of text.toLowerCase().matchAll(/[\p{Script=Han}]+|[\p{L}\p{N}_-]+/gu)) {
		if (/\p{Script=Han}/u.test(run)) for (let i = 0; i < run.length; i++) all.push(run.slice(i, i + 2));
		else all.push(run);
	}
	return all;
}
