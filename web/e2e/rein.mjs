// What the tests in a browser share: a real server with a scripted model, a browser, and what must hold in every test.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const binary = process.env.REIN_BINARY ?? "rein";
export const axeSource = fs.readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// late is REIN_E2E_LATE: the most ms by which each answer of the server's interface comes late, by chance, so that answers come in
// another order; the stream of events is late too, and the processor of the page is slow. 0: neither. REIN_E2E_SEED repeats the chances of a run.
export const late = Number(process.env.REIN_E2E_LATE ?? 0);
export const seed = Number(process.env.REIN_E2E_SEED ?? Math.floor(Math.random() * 1e6));
let state = seed;

// begin starts the chances of a test.
export const begin = () => (state = seed);

// chance is a number from 0 to 1 (mulberry32).
function chance() {
	state = (state + 0x6d2b79f5) | 0;
	let x = Math.imul(state ^ (state >>> 15), state | 1);
	x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
	return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}

// slow makes answers late for a page, after the server has done its work and before the page sees any of it. Events keep their order.
async function slow(page) {
	await page.addInitScript((ms) => {
		window.EventSource = class extends EventSource {
			queue = [];
			last = 0;
			addEventListener(name, take) {
				super.addEventListener(name, (m) => {
					this.queue.push(() => take(m));
					this.last = Math.max(this.last, performance.now() + ms * Math.random());
					setTimeout(() => this.queue.shift()(), this.last - performance.now());
				});
			}
			set onerror(take) {
				this.addEventListener("error", take);
			}
		};
	}, late);
	const cdp = await page.context().newCDPSession(page);
	cdp.on("Fetch.requestPaused", ({ requestId, request }) => {
		const go = () => cdp.send("Fetch.continueResponse", { requestId }).catch(() => {}); // the page may be gone
		if (request.url.includes("/v1/events?")) go();
		else setTimeout(go, late * chance());
	});
	await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*/v1/*", requestStage: "Response" }] });
	await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
	page.setDefaultTimeout(90_000);
}

export function assert(is, what) {
	if (!is) throw new Error(what);
}

export async function until(what, is, ms = 15_000) {
	const end = Date.now() + ms;
	for (;;) {
		const got = await is();
		if (got) return got;
		if (Date.now() > end) throw new Error("it never happened: " + what);
		await new Promise((r) => setTimeout(r, 30));
	}
}

// pressAlone presses a key that answers: no other one may come within 400 ms before it.
export async function pressAlone(page, key) {
	await page.waitForTimeout(500);
	await page.keyboard.press(key);
}

// Rein is a home that outlives its servers. Servers that follow each other have one port: for the browser they are one site, whose
// scripts it has compiled already.
export class Rein {
	static port = 0;
	static open = new Set(); // servers that run
	constructor(script, settings = {}) {
		this.root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "rein-e2e-")));
		this.dir = path.join(this.root, "ws");
		fs.mkdirSync(this.dir);
		this.script = path.join(this.root, "script.yaml");
		fs.writeFileSync(this.script, script);
		this.port = Rein.port;
		fs.mkdirSync(path.join(this.root, "home", "config"), { recursive: true });
		fs.writeFileSync(path.join(this.root, "home", "config", "settings.json"), JSON.stringify(settings));
	}
	async start(command = ["serve", "--json", "--sandbox", "off", "--listen", "127.0.0.1:" + this.port, "--model", "script/" + this.script]) {
		Rein.open.add(this);
		this.process = spawn(binary, command,
			{ cwd: this.dir, env: { PATH: process.env.PATH, HOME: this.root, REIN_HOME: path.join(this.root, "home") }, stdio: ["ignore", "pipe", "pipe"] });
		let out = "", err = "";
		this.process.stderr.on("data", (d) => (err += d));
		const ended = new Promise((r) => this.process.on("exit", r));
		this.ended = ended;
		await new Promise((ok, no) => {
			this.process.stdout.on("data", (d) => (out += d).includes("\n") && ok());
			ended.then(() => no(new Error("the server ended: " + err)));
		});
		this.ready = JSON.parse(out);
		assert(this.ready.url, "the server did not start: " + out);
		this.url = this.ready.url;
		Rein.port = this.port = Number(new URL(this.url).port);
		this.key = fs.readFileSync(this.ready.token_file, "utf8").trim();
		return this;
	}
	async kill(signal = "SIGKILL") {
		this.process.kill(signal);
		await this.ended;
		Rein.open.delete(this);
	}
	async close() {
		await this.kill("SIGTERM");
		fs.rmSync(this.root, { recursive: true, force: true });
	}
	async api(method, path, body) {
		const r = await fetch(this.url + "v1" + path, { method, headers: { Authorization: "Bearer " + this.key, "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
		const text = await r.text();
		return text ? JSON.parse(text) : null; // some answers have no body
	}
	// cookie signs a browser in, as the page does with a key.
	async cookie() {
		const r = await fetch(this.url + "v1/sign-in", { method: "POST", headers: { "Content-Type": "application/json", Origin: new URL(this.url).origin }, body: JSON.stringify({ key: this.key }) });
		const [name, value] = r.headers.getSetCookie()[0].split(";")[0].split("=");
		return { name, value, url: this.url, httpOnly: true, sameSite: "Strict" };
	}
	lines(name) {
		try {
			return fs.readFileSync(path.join(this.dir, name), "utf8").split("\n").length - 1;
		} catch {
			return 0;
		}
	}
}

// Browser opens pages in which no violation of the policy, no error, no request to another host may happen.
export class Browser {
	faults = [];
	async open() {
		this.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
		return this;
	}
	// page opens a page of the browser that all tests share, or of one of its own, where there are options. It is signed in.
	async page(rein, options) {
		const context = options ? await this.context(options) : (this.shared ??= await this.context());
		if (options?.signIn !== false) await context.addCookies([await rein.cookie()]);
		return this.more(context, rein, options);
	}
	async context(options = {}) {
		const context = await this.browser.newContext({ viewport: { width: 1280, height: 820 }, locale: "en", ...options });
		await context.addInitScript(() => {
			window.violations = [];
			document.addEventListener("securitypolicyviolation", (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
		});
		return context;
	}
	async more(context, rein, options) {
		const page = await context.newPage();
		if (late > 0) await slow(page);
		page.running = new Set(); // requests; the stream of events never ends
		page.on("request", (r) => {
			if (!r.url().includes("/v1/events?")) page.running.add(r);
			if (![rein.url, ...(options?.also ?? [])].some((x) => r.url().startsWith(x)) && !r.url().startsWith("data:") && !r.url().startsWith("blob:")) this.faults.push("a request to " + r.url());
		});
		for (const end of ["requestfinished", "requestfailed"]) page.on(end, (r) => page.running.delete(r));
		page.on("pageerror", (e) => this.faults.push("an error: " + e.message));
		page.on("dialog", (d) => (this.faults.push("a dialog: " + d.message()), d.dismiss()));
		page.on("console", (m) => /Content Security Policy|Trusted/.test(m.text()) && this.faults.push(m.text()));
		if (options?.signIn !== false) {
			await page.goto(rein.url + (options?.at ?? ""), { waitUntil: "commit" });
			await page.waitForSelector(".head");
		}
		return page;
	}
	// reset ends what a test left open. The shared context keeps its scripts and nothing else.
	async reset() {
		this.faults.length = 0;
		for (const c of this.browser.contexts()) {
			if (c !== this.shared) await c.close();
			else await Promise.all([c.clearCookies(), ...c.pages().map((p) => p.close())]);
		}
	}
	async check(page) {
		this.faults.push(...(await page.evaluate(() => window.violations)));
		const faults = this.faults.splice(0);
		assert(faults.length === 0, faults.join("; "));
	}
	close() {
		return this.browser.close();
	}
}

// visit shows another view of the page without loading the page again.
export async function visit(page, view) {
	await page.evaluate((to) => (history.pushState(null, "", to), dispatchEvent(new PopStateEvent("popstate"))), "/" + view);
	await page.waitForSelector(".head");
}

// settled waits until a view has what it asked for, and shows it.
export async function settled(page) {
	const end = Date.now() + 60_000;
	do {
		assert(Date.now() < end, "these requests do not end: " + [...page.running].map((r) => r.url()).join(" "));
		await page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok))));
	} while (page.running.size > 0 || !(await page.$(".head")));
}

// still waits until a talk neither grows nor scrolls: a click on what moves would meet something else.
export const still = (page) => until("a talk that stands still", () => page.$eval(".talk", (e) => new Promise((then) => ((at, high) => setTimeout(() => then(e.scrollTop === at && e.scrollHeight === high), 300))(e.scrollTop, e.scrollHeight))));

export async function axe(page, where) {
	if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
	const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
	const bad = found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 2).map((n) => n.html.slice(0, 140)).join(" | ")}`);
	assert(bad.length === 0, `axe in ${where}: ${bad.join("; ")}`);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
	assert(!wide, where + " scrolls sideways");
	const high = await page.evaluate(() => !!document.querySelector(".shell") && document.documentElement.scrollHeight > innerHeight);
	assert(!high, where + " scrolls as a whole, with what should stay in place");
}
