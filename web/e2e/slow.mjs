// Tests of a slow network: answers that come late, or in another order.
import fs from "node:fs";
import { assert, Rein, settled, until, visit } from "./rein.mjs";

export const tests = {};

// hold keeps answers of the server back, until end. come lets them come.
async function hold(page, path, method = "POST") {
	const kept = [];
	let holds = true;
	await page.route(path, async (route) => {
		if (!holds || route.request().method() !== method) return route.fallback();
		const response = await route.fetch({ maxRetries: 3 }); // a connection that was kept may just have ended
		await new Promise((ok) => kept.push(ok));
		await route.fulfill({ response });
	});
	return { kept, end: () => (holds = false), come: () => ((holds = false), kept.forEach((ok) => ok())) };
}

tests["a list that is asked for often is shown when each answer takes long"] = async (b) => {
	const r = await new Rein(`turns:\n  - calls: [{name: bash, args: {command: "sleep 50", background: true}}]\n  - text: Done.\n`).start();
	await r.api("POST", "/sessions", { text: "go", mode: "full" });
	const page = await b.page(r);
	await page.route("**/v1/jobs", async (route) => (await new Promise((ok) => setTimeout(ok, 3000)), route.continue().catch(() => {})));
	await visit(page, "jobs");
	await page.waitForSelector(".card >> text=sleep 50", { timeout: 10_000 });
	await b.check(page);
	await r.close();
};

tests["what a session has done is not taken back by the late answer that it has begun"] = async (b) => {
	const r = await new Rein(`turns: [{calls: [{name: bash, args: {command: "git push origin main"}}]}, {text: two}, {text: three}, {text: four}]`).start();
	const page = await b.page(r, { at: "sessions" });
	const begun = await hold(page, "**/v1/sessions");
	await page.click("main >> text=New session >> nth=0");
	await page.fill("dialog textarea", "begin");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector(".sessionlist .state.waiting");
	await until("the answer", () => begun.kept.length === 1);
	await page.evaluate(() => {
		window.states = new Set();
		new MutationObserver(() => document.querySelector(".head .state") && window.states.add(document.querySelector(".head .state").className)).observe(document.body, { childList: true, subtree: true, attributes: true });
	});
	begun.come();
	await page.waitForSelector(".talk .ask");
	const states = await page.evaluate(() => [...window.states].join());
	assert(states === "tag state waiting", "it is said to be " + states);
	await page.click(".composer .foot >> text=Stop");
	await page.waitForSelector(".head .state.cancelled");
	// Nor is the focus taken from what the user does meanwhile.
	const sent = await hold(page, "**/messages");
	await page.fill("#composer", "more");
	await page.press("#composer", "Control+Enter");
	await page.waitForSelector(".talk >> text=two");
	await page.focus(".person .messagemenu button");
	sent.come();
	await until("an empty field", async () => (await page.inputValue("#composer")) === "");
	await settled(page);
	assert(await page.evaluate(() => document.activeElement.closest(".messagemenu") !== null), "the field takes the focus");
	// What is sent while a message is under way is sent after it.
	const slow = await hold(page, "**/messages");
	await page.fill("#composer", "once more");
	await page.press("#composer", "Control+Enter");
	await page.waitForSelector(".talk >> text=three");
	await page.fill("#composer", "and again");
	await page.press("#composer", "Control+Enter");
	slow.come();
	await page.waitForSelector(".talk >> text=four");
	assert((await page.inputValue("#composer")) === "", "it is still in the field");
	// Two clicks fork once.
	const forked = await hold(page, "**/fork");
	const fork = page.locator("button[aria-label^=Fork]").last();
	await fork.click();
	await until("the fork", () => forked.kept.length === 1);
	assert(await fork.isDisabled(), "a second click forks again");
	forked.come();
	await until("the other session", async () => !(await page.url()).endsWith((await r.api("GET", "/sessions")).at(-1).id));
	await b.check(page);
	await r.close();
};

tests["what is trusted stays so when an earlier answer comes late"] = async (b) => {
	const r = new Rein("turns: [{text: hi}]");
	fs.writeFileSync(r.dir + "/AGENTS.md", "Always write haiku.\n");
	await r.start();
	const page = await b.page(r, { at: "settings" });
	await settled(page);
	const early = await hold(page, "**/v1/trust", "GET");
	await visit(page, "");
	await until("the question", () => early.kept.length > 0);
	early.end();
	await visit(page, "trust");
	await page.click("button.main");
	await page.waitForSelector(".trustlist .tag.done");
	early.come();
	await settled(page);
	assert((await page.$(".trustlist .tag.waits")) === null, "it is asked for again");
	await b.check(page);
	await r.close();
};

tests["entries of another workspace are not shown for the one that was chosen"] = async (b) => {
	const r = new Rein("turns: [{text: hi}]");
	const other = r.root + "/other";
	fs.mkdirSync(other);
	await r.start(["serve", "--json", "--sandbox", "off", "--listen", "127.0.0.1:0", "--model", "script/" + r.script, "--workspace", r.dir, "--workspace", other]);
	await r.api("POST", "/memory", { dir: r.dir, text: "Of the first one.", category: "knowledge", scope: "project", tags: [] }).catch(() => {}); // it answers nothing
	const page = await b.page(r, { at: "memory" });
	await page.waitForSelector(".memories >> text=Of the first one.");
	const late = await hold(page, "**/v1/memory?*", "GET");
	await page.selectOption(".choice-dir", other);
	await until("the requests", () => late.kept.length === 2);
	assert((await page.$(".memories li")) === null, "they can be changed as those of the other one");
	late.come();
	await page.waitForSelector(".empty");
	await b.check(page);
	await r.close();
};

tests["a late key of a new user is shown, and a sign-out that does not work is said"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r, { at: "users" });
	const late = await hold(page, "**/v1/users");
	await page.click(".empty >> text=Add a user");
	await page.fill("dialog input", "mei");
	await page.click("dialog button.main");
	await until("the user", () => late.kept.length === 1);
	await page.keyboard.press("Escape");
	late.come();
	await page.waitForSelector("dialog .key");
	await page.click("dialog >> text=Close");
	await visit(page, "settings");
	await page.route("**/sign-out", (route) => route.abort());
	await page.click("text=Sign out");
	await page.waitForSelector(".setting [role=alert]");
	await b.check(page);
	await r.close();
};
