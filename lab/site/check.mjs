// Opens pages of the built site in Chromium, at two widths, light and dark: npm run check. It fails where axe finds something, a picture is
// missing, a page is wider than the window, or the search finds nothing. CHROMIUM names the browser; SHOTS is a folder for pictures.
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const dist = new URL("dist/", import.meta.url).pathname;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", webp: "image/webp", woff2: "font/woff2" };
const server = http.createServer((q, a) => {
	const path = decodeURIComponent(new URL(q.url, "http://x").pathname);
	const file = [path, path + ".html", path + "index.html"].map((p) => dist + p).find((f) => fs.existsSync(f) && fs.statSync(f).isFile());
	a.writeHead(file ? 200 : 404, { "Content-Type": types[file?.split(".").at(-1)] ?? "text/plain" });
	a.end(file && fs.readFileSync(file));
}).listen(0, "127.0.0.1");
await new Promise((done) => server.on("listening", done));
const site = `http://127.0.0.1:${server.address().port}`;

const pages = process.argv.slice(2).length ? process.argv.slice(2) : ["/", "/tour", "/network", "/reference/settings_keys", "/comparison", "/rules", "/reference/exit_codes", "/maintainers/", "/zh/", "/zh/rules", "/zh/tour"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const problems = [];
for (const width of [1440, 360])
	for (const colorScheme of ["light", "dark"]) {
		const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
		const page = await context.newPage();
		const say = (p, text) => problems.push(`${p} at ${width} px, ${colorScheme}: ${text}`);
		page.on("pageerror", (e) => say(page.url(), e.message));
		page.on("response", (r) => r.status() >= 400 && say(page.url(), `${r.url()} is missing`));
		for (const p of pages) {
			await page.goto(site + p, { waitUntil: "networkidle" });
			await page.evaluate(axe);
			const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
			for (const v of found.violations) say(p, `axe: ${v.id}, ${v.nodes.length} times, such as ${v.nodes[0].html.slice(0, 160)}: ${v.nodes[0].failureSummary?.split("\n")[1] ?? ""}`);
			const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
			if (wide > 0) say(p, `it is ${wide} px too wide`);
			if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${p.replaceAll("/", "_")}-${width}-${colorScheme}.png` });
		}
		if (width === 1440)
			for (const [p, word] of [["/", "preset:npm"], ["/zh/", "沙箱"]]) {
				await page.goto(site + p, { waitUntil: "networkidle" });
				await page.keyboard.press("Control+k");
				await page.fill("#localsearch-input", word);
				await page.waitForSelector(".VPLocalSearchBox .result", { timeout: 10000 }).catch(() => say(p, `the search finds nothing for ${word}`));
			}
		await context.close();
	}
await browser.close();
server.close();
console.log(problems.length ? problems.join("\n") : `${pages.length} pages: nothing found`);
process.exit(problems.length ? 1 : 0);
