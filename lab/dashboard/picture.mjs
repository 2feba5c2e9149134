// Draws docs/grafana.json from real data: npm ci && npm run picture, with REIN_BINARY and CHROMIUM set. A server of rein works on sessions of
// a scripted model for SECONDS (240), Prometheus (Debian's) reads its metrics and answers each question of the dashboard, and Grafana's
// components draw the answers: docs/images/dashboard.webp. A panel without data is an error.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { build, preview } from "vite";

const here = import.meta.dirname, seconds = Number(process.env.SECONDS ?? 240), rein = process.env.REIN_BINARY;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "rein-dashboard-")), workspace = path.join(dir, "workspace"), keyFile = path.join(dir, "key");
const children = [];
process.on("exit", () => { for (const c of children) c.kill(); fs.rmSync(dir, { recursive: true, force: true }); });

// start runs a program and returns the first line that it prints, where that is waited for.
async function start(wait, program, args, env = {}) {
	const child = spawn(program, args, { env: { PATH: process.env.PATH, HOME: dir, ...env }, stdio: ["ignore", "pipe", "inherit"] });
	children.push(child);
	return wait ? String((await once(child.stdout, "data"))[0]).split("\n")[0] : "";
}

fs.mkdirSync(workspace);
fs.writeFileSync(path.join(workspace, "main.go"), "package main\n");
const model = await start(true, rein, ["model-server", "--script", path.join(here, "script.yaml")]);
const ready = JSON.parse(await start(true, rein, ["serve", "--json", "-C", workspace, "--listen", "127.0.0.1:0", "--token-file", keyFile, "-m", "anthropic/claude-sonnet-4-5"], { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: model }));
const server = new URL(ready.url).origin, prometheus = "http://127.0.0.1:19090";
fs.writeFileSync(path.join(dir, "prometheus.json"), JSON.stringify({ global: { scrape_interval: "2s" }, scrape_configs: [{ job_name: "rein", metrics_path: "/v1/metrics", authorization: { credentials_file: keyFile }, static_configs: [{ targets: [new URL(server).host] }] }] }));
await start(false, "prometheus", [`--config.file=${dir}/prometheus.json`, `--storage.tsdb.path=${dir}/data`, `--web.listen-address=${new URL(prometheus).host}`, "--log.level=error"]);

const headers = { Authorization: `Bearer ${fs.readFileSync(keyFile, "utf8").trim()}`, "Content-Type": "application/json" };
const send = (where, body) => fetch(server + where, { method: "POST", headers, body: JSON.stringify(body) });
const from = Date.now() / 1000;
for (let n = 0; Date.now() / 1000 < from + seconds; n++) {
	await send("/v1/sessions", { text: n % 5 === 4 ? "refused" : n % 7 === 3 ? "long" : "go on" });
	await sleep(1200);
	const { requests } = await (await fetch(`${server}/v1/inbox`, { headers })).json();
	for (const r of requests) await send(`/v1/inbox/${r.session}/${r.call}`, { choice: Math.random() < 0.5 ? "approved" : "denied", hash: r.hash });
}

const to = Date.now() / 1000, panels = [];
for (const panel of JSON.parse(fs.readFileSync(path.join(here, "../../docs/grafana.json"))).panels) {
	const series = [];
	for (const { expr, legendFormat } of panel.targets) {
		const question = new URLSearchParams({ query: expr.replaceAll("$__rate_interval", "20s"), start: from, end: to, step: 4 });
		const { data, error } = await (await fetch(`${prometheus}/api/v1/query_range?${question}`)).json();
		if (error) throw new Error(`${panel.title}: ${error}`);
		series.push(...data.result.map((r) => ({ legend: legendFormat, labels: r.metric, values: r.values })));
	}
	if (!series.some((s) => s.values.some(([, v]) => Number(v) > 0))) throw new Error(`${panel.title}: no data`);
	panels.push({ panel, series });
}
fs.writeFileSync(path.join(here, "data.json"), JSON.stringify({ from, to, panels }));
await build({ root: here, logLevel: "error", build: { minify: false } });
const page = await preview({ root: here, preview: { port: 0, host: "127.0.0.1" } });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const height = Math.max(...panels.map(({ panel: { gridPos: g } }) => (g.y + g.h) * 30)) + 4;
const tab = await browser.newPage({ viewport: { width: 1400, height } });
await tab.goto(page.resolvedUrls.local[0]);
await tab.waitForFunction((n) => document.querySelectorAll("canvas").length === n, panels.length);
await sleep(1000);
const png = (await tab.screenshot()).toString("base64");
const webp = await tab.evaluate(async (png) => {
	const image = new Image();
	image.src = `data:image/png;base64,${png}`;
	await image.decode();
	const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
	canvas.getContext("2d").drawImage(image, 0, 0);
	return canvas.toDataURL("image/webp", 0.8).split(",")[1];
}, png);
fs.writeFileSync(path.join(here, "../../docs/images/dashboard.webp"), Buffer.from(webp, "base64"));
await browser.close();
process.exit();
