// Tests of what must not be lost, and must not change under the finger of who reads and answers.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { Rein, assert, axe, late, pressAlone, settled, still, until, visit } from "./rein.mjs";

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
	await visit(page, "files");
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".newest"); // the way back leads to where one was
	assert(await page.$eval(".talk", (e) => e.scrollTop < 200), "the way back does not lead to where one was");
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
	await page.click("[data-key] .ask button.no"); // a request may come before its call, and has another card then
	await page.fill(".refuse textarea", "not yet");
	await visit(page, "");
	await page.waitForSelector(".refuse textarea");
	assert((await page.inputValue(".refuse textarea")) === "not yet", "words for the model are gone in the inbox");
	await b.check(page);
	await r.close();
};

tests["what is written for a request that another one answers stays, with who answered, until it is dismissed"] = async (b) => {
	const call = (n, more) => `  - calls: [{name: bash, args: {command: "git push origin ${n}; echo x >> ${n}.txt"}}]\n${more ?? ""}`;
	const r = await new Rein(`turns:\n${call("one")}${call("two")}${call("three")}  - calls: [{name: ask_user, args: {questions: [{question: "A name?"}]}}]\n  - text: Done.\n`).start();
	const owner = r.key;
	const mei = execFileSync(process.env.REIN_BINARY, ["serve", "users", "add", "mei", "--role", "operator"], { env: { PATH: process.env.PATH, HOME: r.root, REIN_HOME: r.root + "/home" } }).toString().trim();
	const answer = async (of, body) => {
		const ask = await until("the request " + of, async () => (await r.api("GET", "/inbox")).requests.find((q) => JSON.stringify(q.args).includes(of)));
		r.key = mei;
		await r.api("POST", `/inbox/${ask.session}/${ask.call}`, { hash: ask.hash, ...body });
		r.key = owner;
	};
	const s = await r.api("POST", "/sessions", { text: "go" });
	const page = await b.page(r);
	const edit = async (from, to) => {
		await page.click(`.ask:has-text("${from}") >> text=Edit`);
		await page.fill(".editcall textarea", to);
	};
	const dismissed = async () => {
		await page.click(".notsent >> text=Dismiss");
		await page.waitForSelector(".notsent", { state: "detached" });
	};
	// In the session: mei denies it. What was written is there in other views, and after the page was loaded again.
	await visit(page, "s/" + s.id);
	await edit("origin one", "git push origin mine");
	await answer("origin one", { choice: "denied" });
	await page.waitForSelector(".notsent:has-text('mei denied this') >> text=git push origin mine");
	await axe(page, "what was not sent");
	await page.reload();
	await page.waitForSelector(".notsent:has-text('mei denied this') >> text=git push origin mine");
	await visit(page, "");
	await page.waitForSelector(".notsent >> text=git push origin mine");
	await dismissed();
	// In the inbox: mei changes the same call, which asks again; what mei wrote is not taken for what was written here.
	await edit("origin two", "git push origin mine-too");
	await answer("origin two", { choice: "approved", args: { command: "git push origin hers" } });
	await page.waitForSelector(".notsent:has-text('mei changed the arguments') >> text=git push origin mine-too");
	await page.waitForSelector(".ask .command >> text=origin hers");
	await dismissed();
	// What this one sends itself is not left.
	await page.click(".ask >> text=Edit");
	await page.fill(".editcall textarea", "git push origin again");
	await page.click(".editcall button.main");
	await page.click(".ask:has-text('origin again') button.main");
	// The words of a refusal, whose sending comes too late.
	await page.click(".ask:has-text('origin three') button.no");
	await page.fill(".refuse textarea", "the staging branch");
	assert((await page.$(".notsent")) === null, "what was sent is said not to be");
	await page.route("**/v1/inbox/*/*", async (route) => (await answer("origin three", { choice: "denied", words: "no" }), route.continue()));
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector(".notsent:has-text('mei denied this') >> text=the staging branch");
	await page.unroute("**/v1/inbox/*/*");
	await dismissed();
	// The answer to a question.
	await page.fill(".questions textarea", "a good name");
	await answer("A name?", { choice: "approved", chosen: { answers: [{ text: "another" }] } });
	await page.waitForSelector(".notsent:has-text('mei answered') >> text=a good name");
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
	await visit(page, "sessions");
	await visit(page, "");
	await page.waitForSelector(".ask");
	assert((await page.textContent(".ask .from")) === "first", "another request is shown after another view");
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
	const places = async () => JSON.stringify(await page.$$eval(".ask footer button", (all) => all.map((e) => [e.offsetLeft, e.offsetTop, e.offsetWidth])));
	const before = await places();
	await page.keyboard.press("j");
	assert(await page.isVisible(".ask footer kbd"), "the keys are not shown");
	assert((await places()) === before, "the buttons move with the focus, away from the mouse that presses one");
	await pressAlone(page, "y");
	await page.waitForSelector(".ask:has-text('origin dev')");
	await until("the end", async () => page.$eval(".talk", (e) => e.scrollHeight - e.scrollTop - e.clientHeight < 4));
	assert((await page.evaluate(() => document.activeElement?.closest(".talk") !== null)), "the focus is lost");
	// The request is at the end. Who goes back is shown the way there.
	await page.keyboard.press("k");
	await page.waitForSelector(".ask:focus");
	await page.keyboard.press("[");
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
	await page.setViewportSize({ width: 360, height: 780 });
	assert((await page.locator(".composer .foot .icon").boundingBox()).x >= 0, "a phone does not show all of what is below the text");
	await page.setViewportSize({ width: 1280, height: 820 });
	await page.click(".composer .foot >> text=Stop");
	await page.waitForSelector(".end.cancelled");
	await until("they are in the field", async () => (await page.inputValue("#composer")) === "look at this too\nand then that\na draft"); // the server has answered
	assert((await page.$(".queued")) === null, "messages wait that were dropped");
	await b.check(page);
	await r.close();
};

tests["a message that a hook looks at is shown, and stays when the turn is stopped"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]", { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "if grep -q secret; then echo no >&2; exit 2; fi; sleep 60" }] }] } }).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", {});
	await visit(page, "s/" + s.id);
	await page.fill("#composer", "many good words");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector(".queued:has-text('seen by hooks') >> text=many good words");
	await axe(page, "a message that a hook looks at");
	await page.click(".composer .foot >> text=Stop");
	await page.click(".queued:has-text('not sent') >> text=Edit");
	await until("the words", async () => (await page.inputValue("#composer")) === "many good words");
	await page.fill("#composer", "a secret");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector(".queued:has-text('not sent') >> text=a secret");
	await page.click(".queued >> text=Remove");
	await page.waitForSelector(".queued", { state: "detached" });
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

tests["what a search finds is shown where it was said"] = async (b) => {
	const steps = Array.from({ length: 150 }, (_, i) => `  - text: ${i === 20 ? "The rare okapi." : `Step ${i}.`}\n    calls: [${[1, 2, 3].map((n) => `{name: glob, args: {pattern: "x${i}-${n}"}}`).join(", ")}]\n`).join("");
	const r = await new Rein(`turns:\n${steps}  - text: The end.\n`, { maxTurns: 200 }).start();
	await r.api("POST", "/sessions", { text: "go" });
	await until("all calls", async () => (await idle(r), true), 60_000);
	const page = await b.page(r, { at: "sessions" });
	await page.fill("#search", "okapi");
	await page.click(".found-in a");
	await page.waitForSelector(".talk .said >> text=The rare okapi.");
	await until("it is in sight", () => page.locator(".talk .said >> text=The rare okapi.").evaluate((e) => {
		const [at, talk] = [e.getBoundingClientRect(), e.closest(".talk").getBoundingClientRect()];
		return at.top >= talk.top && at.bottom <= talk.bottom;
	}));
	await page.click(".newest");
	await page.waitForSelector(".talk .said >> text=The end.");
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
	await still(page);
	await head.click();
	assert((await page.textContent(".call .whole")).includes("line 59 of a text"), "the whole command is not shown");
	await page.waitForTimeout(1000);
	const place = await head.evaluate((e) => e.getBoundingClientRect().top - e.closest(".talk").getBoundingClientRect().top);
	assert(place >= 0, "what was opened is scrolled out of sight by " + -place);
	await page.mouse.move(600, 300);
	await until("the second call", async () => (await page.mouse.wheel(0, 300), page.$("text=Show the whole output"))); // a card far out of sight is not there
	await still(page);
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
	assert(late || Date.now() - begun < 5000, `it took ${Date.now() - begun} ms`);
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

const picture = { name: "pic.png", mimeType: "image/png", buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64") };

tests["the files of messages that wait come back with their words, and are shown where they were sent"] = async (b) => {
	const r = await new Rein(`turns: [{calls: [{name: bash, args: {command: "sleep 60"}}]}, {expect: {contains: the words}, text: Seen.}]`).start();
	const page = await b.page(r, { viewport: { width: 390, height: 800 } }), long = "three".repeat(20) + ".png";
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".call.running");
	const send = async (text, button, ...files) => {
		await page.setInputFiles(".composer input[type=file]", files);
		await until("the files", async () => (await page.$$(".attached li")).length === files.length);
		await page.fill("#composer", text);
		await page.click(`.composer .foot button:text-is("${button}")`);
		await page.waitForSelector(`.queued:has-text("${text}"):has-text("${files[0].name}")`);
	};
	await send("first", "Queue", picture, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("the words") });
	await send("second", "Steer", { ...picture, name: "two.png" });
	await send("third", "Queue", { ...picture, name: long });
	await axe(page, "messages that wait, with files");
	await page.click(".queued:has-text('third') >> text=Edit");
	await page.waitForSelector(".attached li:has-text('threethree')");
	await axe(page, "a file with a long name");
	await page.click(".composer .foot button.no");
	await until("the words", async () => (await page.inputValue("#composer")) === "second\nfirst\nthird");
	assert((await page.$$eval(".attached li .mono", (all) => all.map((e) => e.textContent).join())) === "two.png,pic.png,notes.txt," + long, "files are lost");
	await page.waitForSelector(".tag.state.cancelled");
	await page.click(".composer .foot button[type=submit]");
	await page.waitForSelector("text=Seen.");
	assert((await page.$$(".person img.shown")).length === 3, "images that were sent are not shown");
	assert((await page.$(".attached")) === null, "files that were sent are in the field");
	await axe(page, "a message with images");
	await b.check(page);
	await r.close();
};

tests["a dialog keeps what is written: to select beside it does not close it, and the focus goes back"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r);
	await page.click(".newsession");
	await page.fill("dialog textarea", "words for a new session");
	const at = await (await page.$("dialog textarea")).boundingBox();
	await page.mouse.move(at.x + 60, at.y + 15);
	await page.mouse.down();
	await page.mouse.move(at.x - 200, at.y + 15, { steps: 3 });
	await page.mouse.up();
	await page.waitForTimeout(100);
	assert(await page.$("dialog[open]"), "a selection that ends beside the dialog closes it");
	await page.mouse.click(at.x - 200, at.y + 15);
	await page.waitForSelector("dialog", { state: "detached" });
	const focus = () => page.evaluate(() => document.activeElement?.className);
	await until("the focus at the button", async () => (await focus()) === "newsession");
	await page.keyboard.press("Enter");
	await page.waitForSelector("dialog textarea");
	assert((await page.inputValue("dialog textarea")) === "words for a new session", "the words are lost");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=hi");
	await page.click(".newsession");
	assert((await page.inputValue("dialog textarea")) === "", "words that were sent are there again");
	await b.check(page);
	await r.close();
};

tests["who answers with a button keeps the focus near; j shows another request with the focus"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "first" });
	await visit(page, "s/" + s.id);
	await until("the button", () => page.isEnabled(".talk .ask button.main").catch(() => false));
	await page.focus(".ask button.main");
	await page.keyboard.press("Enter");
	await page.waitForSelector(".call.done");
	await until("the focus in the talk", () => page.evaluate(() => !!document.activeElement?.closest(".talk")));
	for (let i = 0; i < 12; i++) await r.api("POST", "/sessions", { text: "again " + i });
	await until("all wait", async () => (await page.textContent(".rail .count").catch(() => "")) === "12"); // those that come later are above the one that is shown
	await visit(page, "");
	await until("all requests", async () => (await page.$$(".askrow")).length === 11);
	await page.evaluate(() => document.activeElement?.blur());
	for (const n of [1, 2, 3]) {
		await page.keyboard.press("j");
		await until("the focus at request " + n, () => page.evaluate((n) => document.activeElement?.matches(".ask") && document.activeElement === document.querySelectorAll(".ask, .askrow")[n], n));
	}
	await axe(page, "the inbox with many sessions");
	await b.check(page);
	await r.close();
};

tests["a sub-agent that continues after a kill has one card"] = async (b) => {
	const r = await new Rein(`turns:\n  - calls: [{name: agent, args: {task: "errand", description: "an errand"}}]\n  - text: All done.\nconversations:\n  - when: errand\n    turns:\n${push("one").replace(/^/gm, "    ")}`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask");
	await r.kill();
	await r.start();
	await page.waitForSelector(".bar.broken", { state: "detached", timeout: 30_000 });
	await until("the call runs", async () => (await page.click(".ask button.main", { timeout: 500 }).catch(() => {}), r.lines("one.txt") === 1));
	await page.waitForSelector("text=All done.");
	const cards = await page.$$eval(".talk [data-key] > .row > .body > .call", (all) => all.map((e) => `${e.className} ${e.querySelectorAll(".child").length}`).join());
	assert(cards === "call done 1", "the cards of the call: " + cards);
	await b.check(page);
	await r.close();
};

tests["who signs out in one tab is signed out in all, and what was written is there after the next sign-in"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const one = await b.page(r, {});
	const two = await one.context().newPage();
	await two.goto(r.url + "s/" + s.id);
	await two.fill("#composer", "a draft");
	await visit(one, "settings");
	await one.click("main button:text-is('Sign out')");
	for (const tab of [one, two]) await tab.waitForSelector("input[type=password]");
	await two.fill("input[type=password]", r.key);
	await two.keyboard.press("Enter");
	await two.waitForSelector("#composer");
	assert((await two.inputValue("#composer")) === "a draft", "the draft is lost");
	// Over a reload it stays, in this tab; after a sign-out nothing of it does.
	await two.setInputFiles("input[type=file]", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("words") });
	await two.waitForSelector(".attached [aria-label='Remove notes.txt']");
	await two.reload();
	await two.waitForSelector(".attached [aria-label='Remove notes.txt']");
	assert((await two.inputValue("#composer")) === "a draft", "the draft is lost in a reload");
	await visit(one, "s/" + s.id);
	await one.waitForSelector("#composer");
	assert((await one.inputValue("#composer")) === "", "the draft is in another tab");
	await visit(one, "settings");
	await one.click("main button:text-is('Sign out')");
	await two.waitForSelector("input[type=password]");
	await two.reload();
	await two.waitForSelector("input[type=password]");
	assert(!(await two.evaluate(() => JSON.stringify(sessionStorage))).includes("a draft"), "the draft is kept after the sign-out");
	await two.fill("input[type=password]", r.key);
	await two.keyboard.press("Enter");
	await two.waitForSelector("#composer");
	assert((await two.inputValue("#composer")) === "", "the draft is there after the sign-out");
	await one.waitForSelector(".head"); // signed in here, too
	const n = await r.api("POST", "/sessions", { text: "another one" });
	for (const tab of [one, two]) await tab.waitForSelector(`.recent a[href$="${n.id}"]`);
	await b.check(one);
	await r.close();
};

tests["an answer that is cut, or is none, is said and breaks no view"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const page = await b.page(r);
	for (const cut of [true, false]) {
		await page.evaluate((cut) => {
			window.real ??= window.fetch;
			const body = () => new ReadableStream({ start: (c) => (c.enqueue(new TextEncoder().encode(cut ? "[" : "<html>")), cut ? c.error(new Error("cut")) : c.close()) });
			window.fetch = (to, how) => (String(to).includes("/steps") ? Promise.resolve(new Response(body(), { status: 200 })) : window.real(to, how));
		}, cut);
		await visit(page, "files?show=undo&session=" + s.id);
		await page.waitForSelector(".failure >> text=The server does not answer.");
		await page.evaluate(() => (window.fetch = window.real));
		await visit(page, "files?show=changes");
		await visit(page, "files?show=undo&session=" + s.id);
		await page.waitForSelector(".empty");
		await visit(page, "files?show=changes");
	}
	await b.check(page);
	await r.close();
};

tests["a fault of one view does not stay when another one is opened"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const page = await b.page(r);
	await page.route("**/steps", (q) => q.fulfill({ json: { wrong: true } }));
	await visit(page, "files"); // its code is loaded
	await page.evaluate((to) => (history.pushState(null, "", to), dispatchEvent(new PopStateEvent("popstate"))), "/files?show=undo&session=" + s.id);
	await page.waitForSelector("text=This view failed.");
	b.faults.length = 0; // the browser reports it, too
	await page.click(".rail >> text=Sessions");
	await page.waitForSelector(".head h1 >> text=Sessions");
	await b.check(page);
	await r.close();
};

tests["the key of a new user is shown until it is closed; who goes back to a message has its words again, and the turn before its numbers"] = async (b) => {
	const r = await new Rein("turns:\n  - {text: One., usage: {input: 100, output: 7}}\n  - {text: Two., usage: {input: 230, output: 9}}\n").start();
	const page = await b.page(r);
	await page.goto(r.url + "users");
	await page.click("main >> text=Add a user");
	await page.fill("dialog input", "mei");
	await page.press("dialog input", "Enter");
	await page.waitForSelector("dialog .key");
	for (let n = 0; n < 3; n++) await page.keyboard.press("Escape");
	await page.mouse.click(5, 5);
	await page.waitForTimeout(200);
	assert(await page.isVisible("dialog[open] .key"), "the key is gone before it was closed");
	await page.click("dialog button.main");
	await page.waitForSelector("dialog", { state: "detached" });
	const s = await r.api("POST", "/sessions", { text: "first" });
	await page.goto(r.url + "s/" + s.id);
	await page.waitForSelector("text=One.");
	await page.fill("#composer", "second");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=Two.");
	const input = () => page.textContent(".details .numbers dd >> nth=0");
	await until("the second turn's numbers", async () => (await input()) === "230");
	await page.locator("div.person:not(.row):has-text('second') button[aria-label^=Rewind]").click();
	await page.click("dialog button.main");
	await until("the words again", async () => (await page.inputValue("#composer")) === "second");
	await until("the first turn's numbers", async () => (await input()) === "100");
	// What followed is not lost: it is said who went back, and a copy has all of it.
	await page.waitForSelector("text=you went back: 1 message is no longer part of the conversation");
	await page.click("text=fork the session with what followed");
	await page.waitForSelector(".person >> text=second");
	await page.waitForSelector("text=Two.");
	await b.check(page);
	await r.close();
};

tests["what is written or uploaded while a message is under way stays, and a message waits for its files"] = async (b) => {
	const r = await new Rein("turns: [{text: one}, {text: two}, {text: three}]", { server: { limits: { upload: 1000 } } }).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=one");
	let go;
	const hold = async (route) => (await new Promise((ok) => (go = ok)), await route.continue());
	const held = (what) => until(what + " is under way", () => go);
	const file = (name, size) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(size, 97) });
	await page.route("**/messages", hold);
	await page.fill("#composer", "first");
	await page.press("#composer", "Control+Enter");
	await held("the message");
	await page.press("#composer", "End");
	await page.keyboard.type(" and this");
	go();
	await until("what was written meanwhile", async () => (await page.inputValue("#composer")) === "and this");
	await page.waitForSelector(".body > .person >> text=first");
	await page.unroute("**/messages");
	// The message waits for a file that is under way, and the file comes while another view is shown.
	go = undefined;
	await page.route("**/attachments", hold);
	await page.setInputFiles("input[type=file]", [file("slow.txt", 3)]);
	await held("the file");
	await page.waitForSelector(".attached >> text=slow.txt");
	assert(await page.isDisabled(".composer button[type=submit]"), "a message can go without its file");
	await axe(page, "a file under way");
	await visit(page, "sessions");
	go();
	await settled(page);
	await page.unroute("**/attachments");
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".attached >> text=/slow.txt.*3 bytes/");
	// One that is too large is named, and keeps back no other.
	await page.setInputFiles("input[type=file]", [file("large.txt", 2e6), file("small.txt", 4)]);
	await page.waitForSelector(".attached >> text=/small.txt.*4 bytes/");
	await page.waitForSelector(".composer .failure >> text=/large.txt: It is larger/");
	// The server keeps ten: of more it would forget the first.
	await page.setInputFiles("input[type=file]", Array.from({ length: 9 }, (_, i) => file((i === 0 ? "n".repeat(240) : "f" + i) + ".txt", 1)));
	await page.waitForSelector(".composer .failure >> text=A message takes 10 files. Not added: f8.txt");
	await until("ten files", async () => (await page.$$(".attached li button")).length === 10);
	// One that is removed makes room for another, and the server forgets none that goes with the message. What is not taken counts for none.
	await page.click(".attached [aria-label='Remove f7.txt']");
	await page.setInputFiles("input[type=file]", [file("large.txt", 2e6), file("f9.txt", 1)]);
	await page.waitForSelector(".attached [aria-label='Remove f9.txt']");
	await page.waitForSelector(".composer .failure >> text=/large.txt: It is larger/");
	await page.press("#composer", "Control+Enter");
	await page.waitForSelector(".body > .person:has-text('and this') >> text=small.txt");
	await page.waitForSelector(".attached", { state: "detached" }); // once the server has answered
	await b.check(page);
	await r.close();
};

tests["a session that waits since before a restart can be stopped"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask");
	await r.kill();
	await r.start();
	await until("the session waits", async () => !(await r.api("GET", "/sessions/" + s.id)).working);
	await page.reload();
	await page.waitForSelector(".ask");
	await page.click(".composer .foot >> text=Stop");
	await page.waitForSelector(".head .state.cancelled");
	await page.waitForSelector(".ask", { state: "detached" });
	await b.check(page);
	await r.close();
};

tests["whose sign-in has ended is asked to sign in with the next message, and it is there then"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}, {text: There it is.}]").start();
	const page = await b.page(r, {});
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.fill("#composer", "many good words");
	await page.context().clearCookies();
	await page.keyboard.press("Control+Enter"); // the field goes while the keys are down
	await page.fill("input[type=password]", r.key);
	await page.press("input[type=password]", "Enter");
	await until("the words", async () => (await page.inputValue("#composer")) === "many good words");
	await page.press("#composer", "Control+Enter");
	await page.waitForSelector("text=There it is.");
	await b.check(page);
	await r.close();
};

tests["who signs in after another one sees nothing of that one"] = async (b) => {
	const r = new Rein("turns:\n" + push("one"));
	const other = r.root + "/other";
	fs.mkdirSync(other);
	await r.start(["serve", "--json", "--sandbox", "off", "--listen", "127.0.0.1:0", "--model", "script/" + r.script, "--workspace", r.dir, "--workspace", other]);
	const page = await b.page(r, {});
	const second = await page.context().newPage();
	const s = await r.api("POST", "/sessions", { text: "of the owner", dir: r.dir });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask");
	await second.goto(r.url + "sessions");
	await second.waitForSelector(".sessionlist >> text=of the owner");
	const vera = await r.api("POST", "/users", { name: "vera", role: "approver", workspaces: [other] });
	await visit(page, "settings");
	await page.click("text=Sign out");
	await second.waitForSelector("input[type=password]");
	await page.fill("input[type=password]", vera.key);
	await page.keyboard.press("Enter");
	for (const p of [page, second]) {
		await p.waitForSelector(".head", { timeout: 20_000 });
		await until("nothing of the owner", async () => !(await p.textContent("body").catch(() => "of the owner")).includes("of the owner"));
	}
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=No such session");
	await b.check(page);
	await r.close();
};

tests["what is written in a form is there again after Escape and another view, and gone when it was saved or given up"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r);
	const forms = { memory: ["Remember something", "textarea"], schedules: ["Plan a task", "textarea"], skills: ["New skill", "textarea"], agents: ["New kind of agent", "textarea"] };
	for (const [view, [name, field]] of Object.entries(forms)) {
		await visit(page, view);
		const open = async () => (await page.click(`main button:has-text("${name}")`), page.waitForSelector(`dialog ${field}`));
		await open();
		await page.fill(`dialog ${field}`, "a long thought");
		await page.keyboard.press("Escape");
		await page.waitForSelector("dialog", { state: "detached" });
		await visit(page, "files");
		await visit(page, view);
		await open();
		assert((await page.inputValue(`dialog ${field}`)) === "a long thought", "gone after Escape: " + view);
		await page.click("dialog .buttons >> text=Cancel");
		await open();
		assert((await page.inputValue(`dialog ${field}`)) !== "a long thought", "there after it was given up: " + view);
		await page.keyboard.press("Escape");
	}
	await visit(page, "memory");
	await page.click("text=Remember something");
	await page.fill("dialog textarea", "We use tabs.");
	await page.click("dialog button[type=submit]");
	await page.waitForSelector(".memories >> text=We use tabs.");
	await page.click("text=Remember something");
	assert((await page.inputValue("dialog textarea")) === "", "what was saved is in the form of the next one");
	await page.keyboard.press("Escape");
	await visit(page, "rules");
	await page.fill("#rule", "bash(npm test:*)");
	await visit(page, "files");
	await visit(page, "rules");
	assert((await page.inputValue("#rule")) === "bash(npm test:*)", "a rule that was begun is gone");
	await b.check(page);
	await r.close();
};

tests["an undo of files is taken back where it stands; a fork offers to undo nothing of its original"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: write_file, args: {path: a.txt, content: \"one\\n\"}}]\n  - text: Made.\n").start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=Made.");
	await page.waitForSelector(".call >> text=Undo…");
	await page.route("**/undo", () => {}); // no answer comes
	await page.click(".call >> text=Undo…");
	assert((await page.textContent("dialog button.main")) === "Undo", "a number before it is known: " + (await page.textContent("dialog button.main")));
	await page.click("dialog >> text=Cancel");
	await page.unroute("**/undo");
	await page.click("[aria-label='Fork here']");
	await page.waitForSelector("text=The part above is a copy");
	assert((await page.$(".call >> text=Undo…")) === null, "a fork offers to undo what its original did");
	await visit(page, "files?show=undo&session=" + s.id);
	const take = async (name) => {
		await page.click(`.points >> text=${name}…`);
		await page.waitForSelector("dialog >> text=a.txt");
		await page.click("dialog button.main");
		await page.waitForSelector("dialog", { state: "detached" });
	};
	for (const [name, lines] of [["Undo", 0], ["Redo", 1], ["Undo", 0]]) {
		await take(name);
		await until(name, () => r.lines("a.txt") === lines);
	}
	await page.waitForSelector(".points >> text=a redo");
	assert((await page.locator(".points >> text=Redo…").count()) === 1, "more than the last undo is offered");
	await axe(page, "undo points");
	await b.check(page);
	await r.close();
};

tests["what is written for an entry that somebody else changes meanwhile stays, with what it is now; a form that was only opened takes nothing back"] = async (b) => {
	const r = await new Rein("turns:\n  - text: Done.\n").start();
	await r.api("POST", "/memory", { dir: r.dir, text: "the port is 80", category: "knowledge", tags: ["a"], scope: "project" });
	const [made] = await r.api("GET", "/memory");
	const page = await b.page(r);
	const open = async (tag) => {
		await visit(page, "files");
		await visit(page, "memory");
		await page.waitForSelector(`.memories .tag.sub:text-is("${tag}")`);
		await page.click(".memories >> text=Change");
		await page.waitForSelector(".form textarea");
	};
	await open("a");
	await page.keyboard.press("Escape");
	await r.api("PUT", `/memory/${made.id}`, { dir: r.dir, text: "the port is 80", category: "task", tags: ["b"], was: "the port is 80" });
	await open("b");
	assert((await page.inputValue(".form select")) === "task" && (await page.inputValue(".form input")) === "b", "a form that was only opened has what the entry was");
	await page.fill(".form textarea", "the port is 81");
	await r.api("PUT", `/memory/${made.id}`, { dir: r.dir, text: "the port is 82", category: "task", tags: ["b"], was: "the port is 80" });
	await page.click(".form button.main");
	await page.waitForSelector(".form .failure");
	await page.keyboard.press("Escape");
	await page.waitForSelector(".memories >> text=the port is 82");
	await open("b");
	assert((await page.inputValue(".form textarea")) === "the port is 81", "what was written is gone");
	await page.waitForSelector(".form .warning >> text=the port is 82");
	await b.check(page);
	await page.click(".form button.main");
	await page.waitForSelector(".memories >> text=the port is 81");
	await visit(page, "rules");
	await page.context().setOffline(true);
	await page.fill("#rule", "bash(git fetch:*)");
	await page.waitForSelector("#rulecheck .failure");
	await page.context().setOffline(false);
	await page.waitForSelector("#rulecheck .failure", { state: "detached", timeout: 30_000 });
	assert(await page.isEnabled("form:has(#rule) button.main"), "a rule cannot be saved after nobody answered");
	await r.close();
};
