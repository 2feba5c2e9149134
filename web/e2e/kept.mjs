// Tests of what must not be lost, and must not change under the finger of who reads and answers.
import { assert, axe, Rein, settled, until, visit } from "./rein.mjs";

export const tests = {};
const idle = (r) => until("idle", async () => (await r.api("GET", "/sessions")).every((s) => s.state === "idle"), 60_000);
const push = (n) => `  - calls: [{name: bash, args: {command: "git push origin main; echo x >> ${n}.txt"}}]\n  - text: Pushed.\n`;

tests["what is written for a request stays: out of sight, in another view and over a restart"] = async (b) => {
	const r = await new Rein(`turns:\n  - text: "${"A paragraph of words.\\n\\n".repeat(80)}"\n    calls: [{name: ask_user, args: {questions: [{question: "Which?", choices: [{label: main}, {label: dev}]}, {question: "A name?"}]}}]\n  - expect: {contains: a name}\n    text: Thanks.\n${push("one")}`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.fill(".questions textarea >> nth=1", "a name");
	await page.click(".questions .choice input >> nth=1");
	const there = async (where) => {
		await page.waitForSelector(".questions");
		assert((await page.inputValue(".questions textarea >> nth=1")) === "a name", "the words are gone: " + where);
		assert(await page.isChecked(".questions .choice input >> nth=1"), "the choice is gone: " + where);
	};
	await page.mouse.move(600, 300);
	await until("the beginning", async () => (await page.mouse.wheel(0, -600), (await page.$eval(".talk", (e) => e.scrollTop)) === 0));
	await page.click(".newest");
	await there("after scrolling");
	await visit(page, "files");
	await settled(page);
	await visit(page, "s/" + s.id);
	await there("after another view");
	await r.kill();
	await page.waitForSelector(".bar.broken", { timeout: 15_000 });
	await r.start();
	await page.waitForSelector(".bar.broken", { state: "detached", timeout: 30_000 });
	await there("after a restart");
	await page.click(".questions button.main");
	await page.waitForSelector("text=Thanks.");
	await page.fill("#composer", "more");
	await page.keyboard.press("Control+Enter");
	await page.click(".ask button.no");
	await page.fill(".refuse textarea", "not yet");
	await visit(page, "");
	await page.waitForSelector(".refuse textarea");
	assert((await page.inputValue(".refuse textarea")) === "not yet", "words for the model are gone in the inbox");
	await b.check(page);
	await r.close();
};

tests["the request that is shown stays when another one comes, and none takes a click as it appears"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const page = await b.page(r);
	// A click that was meant for something else comes just after the card.
	await page.evaluate(() => {
		const send = window.fetch;
		window.sent = 0;
		window.fetch = (to, how) => (how?.method === "POST" && window.sent++, send(to, how));
		new MutationObserver((_, o) => document.querySelector(".ask button.main") && (o.disconnect(), setTimeout(() => (document.querySelector(".ask button.main").click(), (window.clicked = true)), 150))).observe(document.body, { childList: true, subtree: true });
	});
	await r.api("POST", "/sessions", { text: "first" });
	await page.waitForFunction(() => window.clicked);
	assert((await page.evaluate(() => window.sent)) === 0, "a click at once answered");
	await r.api("POST", "/sessions", { text: "second" });
	await page.waitForSelector(".askrow");
	assert((await page.textContent(".ask .from")) === "first", "another request took the place of the one that is read");
	await b.check(page);
	await r.close();
};

tests["the keys of a request are shown where they act; after an answer the end is followed, and the focus stays"] = async (b) => {
	const r = await new Rein(`turns:\n  - text: "${"A paragraph of words.\\n\\n".repeat(60)}"\n    calls: [{name: bash, args: {command: git push origin main}}]\n  - text: "${"Another paragraph.\\n\\n".repeat(40)}"\n    calls: [{name: bash, args: {command: git push origin dev}}]\n  - text: Done.\n`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask");
	await page.evaluate(() => document.activeElement?.blur());
	assert(!(await page.isVisible(".ask footer kbd")), "keys are shown that do not act");
	await page.keyboard.press("j");
	assert(await page.isVisible(".ask footer kbd"), "the keys are not shown");
	await until("it is answered", async () => (await page.keyboard.press("y"), page.$(".ask:has-text('origin dev')")));
	await until("the end", async () => page.$eval(".talk", (e) => e.scrollHeight - e.scrollTop - e.clientHeight < 4));
	assert((await page.evaluate(() => document.activeElement?.closest(".talk") !== null)), "the focus is lost");
	// Who goes back to an earlier call is shown the way to the end.
	await page.keyboard.press("k");
	await page.waitForSelector(".newest");
	await b.check(page);
	await r.close();
};

tests["what waits is seen, and comes back to the field when the turn is stopped"] = async (b) => {
	const r = await new Rein(`turns:\n  - calls: [{name: bash, args: {command: "echo begun; sleep 60"}}]\n  - text: Done.\n`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".call .output >> text=begun");
	await page.fill("#composer", "look at this too");
	await page.click(".composer .foot >> text=Steer");
	await page.waitForSelector(".queued:has-text('for the next request') >> text=look at this too");
	await page.fill("#composer", "and then that");
	await page.click(".composer .foot >> text=Queue");
	await page.waitForSelector(".queued:has-text('waits') >> text=and then that");
	await axe(page, "messages that wait");
	await page.fill("#composer", "a draft");
	await page.click(".composer .foot >> text=Stop");
	await page.waitForSelector(".end.cancelled");
	assert((await page.inputValue("#composer")) === "look at this too\nand then that\na draft", "the field has " + JSON.stringify(await page.inputValue("#composer")));
	assert((await page.$(".queued")) === null, "messages wait that were dropped");
	await b.check(page);
	await r.close();
};

tests["earlier events come before what is read, while an answer is written"] = async (b) => {
	const steps = Array.from({ length: 60 }, (_, i) => `  - text: Step ${i}.\n    calls: [${[1, 2, 3].map((n) => `{name: glob, args: {pattern: "x${i}-${n}"}}`).join(", ")}]\n`).join("");
	const r = await new Rein(`pace: 20ms\ndelta: 24\nturns:\n${steps}  - text: "The answer begins. ${"words and words ".repeat(1500)}"\n`, { maxTurns: 200 }).start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	await until("all calls", async () => (await r.api("GET", "/sessions/" + s.id)).calls === 180, 60_000);
	const page = await b.page(r);
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=The answer begins.");
	await page.mouse.move(600, 300);
	await until("the button", async () => (await page.mouse.wheel(0, -900), (await page.$eval(".talk", (e) => e.scrollTop)) === 0 && page.$(".earlier button")));
	const seen = await page.textContent(".talk .call .what");
	await page.click(".earlier button");
	await page.waitForSelector(".earlier button", { state: "detached" });
	await settled(page);
	assert((await page.$eval(".talk", (e) => e.scrollTop)) > 1000 && (await page.isVisible(`.talk .call .what >> text="${seen}"`)), "what was read is no longer in sight");
	await page.click(".newest");
	const answer = page.locator(".talk .said", { hasText: "words and words" });
	await answer.waitFor();
	assert((await answer.textContent()).includes("The answer begins."), "the beginning of the answer is gone");
	assert((await page.locator(".talk .said >> text=thinking").count()) === 0, "it is said to think");
	assert((await r.api("GET", "/sessions/" + s.id)).working, "the answer was not being written");
	await b.check(page);
	await r.close();
};

tests["a long command is one line that opens, and the largest output opens soon"] = async (b) => {
	const command = "cat <<'X'\\n" + Array.from({ length: 60 }, (_, i) => `line ${i} of a text\\n`).join("") + "X\\n";
	const r = await new Rein(`turns:\n  - calls: [{name: bash, args: {command: "${command}"}}, {name: bash, args: {command: "seq 1 300000"}}]\n  - text: Done.\n`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await idle(r);
	await visit(page, "s/" + s.id);
	const head = page.locator(".call header .what").first();
	await head.waitFor();
	assert((await head.textContent()) === "cat <<'X' …", "the head of the call is " + (await head.textContent()));
	await head.click();
	assert((await page.textContent(".call .whole")).includes("line 59 of a text"), "the whole command is not shown");
	await page.waitForTimeout(1000);
	const place = await head.evaluate((e) => e.getBoundingClientRect().top - e.closest(".talk").getBoundingClientRect().top);
	assert(place >= 0, "what was opened is scrolled out of sight by " + -place);
	await page.mouse.move(600, 300);
	await until("the second call", async () => (await page.mouse.wheel(0, 300), page.$("text=Show the whole output"))); // a card far out of sight is not there
	await page.click("text=Show the whole output");
	await page.waitForSelector(".output .tall .l");
	const lines = () => page.$$eval(".output .tall .l", (all) => all.length);
	assert((await lines()) < 5000, `${await lines()} lines are made`);
	await page.$eval(".output .tall", (e) => (e.scrollTop = e.scrollHeight));
	await page.waitForSelector('.output .tall .l >> text="300000"');
	await axe(page, "a long command and its output");
	await page.click(".newest");
	await page.waitForTimeout(500);
	assert((await page.locator(".call .whole").count()) === 1 && (await page.locator(".output .tall").count()) === 1, "what was opened is closed again");
	await b.check(page);
	await r.close();
};

tests["the way back to a server that was away for long is short"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r, {});
	await r.kill();
	await page.waitForSelector(".bar.broken", { timeout: 15_000 });
	await page.waitForTimeout(12_000);
	await r.start();
	const begun = Date.now();
	await page.waitForSelector(".bar.broken", { state: "detached", timeout: 30_000 });
	assert(Date.now() - begun < 5000, `it took ${Date.now() - begun} ms`);
	// A network that comes back is asked at once, and one that goes is noticed at once.
	await page.context().setOffline(true);
	await page.waitForSelector(".bar.broken", { timeout: 6000 });
	await page.context().setOffline(false);
	await page.waitForSelector(".bar.broken", { state: "detached", timeout: 5000 });
	await r.close();
};

tests["sessions that are older than those of the first list are shown too"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	for (let i = 0; i < 103; i++) {
		await r.api("POST", "/sessions", { text: "number " + i });
		await new Promise((ok) => setTimeout(ok, 40)); // a server takes 30 changes a second
	}
	await idle(r);
	const page = await b.page(r, { at: "sessions" });
	await page.waitForSelector(".head >> text=100+");
	await page.click("text=Show older sessions");
	await page.waitForSelector(".sessionlist >> text=/^number 0$/");
	assert((await page.$("text=Show older sessions")) === null, "more are offered than there are");
	await r.api("POST", "/sessions", { text: "one more" });
	await page.waitForSelector(".sessionlist >> text=one more");
	assert(await page.$(".sessionlist >> text=/^number 0$/"), "an older session is gone from the list");
	await b.check(page);
	await r.close();
};

tests["a text that is too long for a message is not cut without a word"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	const paste = (n) => page.$eval("#composer", (f, n) => {
		const data = new DataTransfer();
		data.setData("text/plain", "x".repeat(n));
		return f.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	}, n);
	await page.waitForSelector("#composer");
	assert(await paste(400_000), "a text that fits is refused");
	assert(!(await paste(600_000)), "the browser cuts the text");
	await page.waitForSelector(".composer .failure >> text=at most 500,000 characters");
	await b.check(page);
	await r.close();
};

tests["the trouble of a sub-agent names it"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	await idle(r);
	const page = await b.page(r);
	const list = await r.api("GET", "/sessions");
	const trouble = { kind: "busy", session: "child-1", queue: "web", text: "", stuck: false };
	const messages = { hello: await r.api("GET", "/me"), sessions: { dir: s.dir, sessions: list.map((x) => ({ ...x, trouble })) } };
	await page.route("**/v1/events?*", (route) => route.fulfill({ contentType: "text/event-stream", body: Object.entries(messages).map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("") }));
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".composer .queued.bad >> text=/^Its sub-agent child-1: No worker has taken its next step/");
	await page.unroute("**/v1/events?*");
	await r.close();
};
