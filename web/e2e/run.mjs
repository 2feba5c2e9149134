// Tests of the page in a real browser, over the real program. Each prints one JSON line. See cmd/rein/serve_browser_test.go.
//
//	REIN_BINARY=/tmp/rein CHROMIUM=/usr/bin/chromium node e2e/run.mjs [a part of a test's name]
//
// With REIN_E2E_LATE=300 each answer and event of the server comes up to 300 ms late, by chance, and the page's processor is four times slower: what
// holds only in one order fails. The seed of the chances is printed; REIN_E2E_SEED repeats it. Limits of time are not checked then.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Accounts } from "./accounts.mjs";
import { Browser, Rein, assert, axe, begin, late, pressAlone, seed, settled, still, until, visit } from "./rein.mjs";
import { tests as kept } from "./kept.mjs";
import { tests as shell } from "./shell.mjs";
import { tests as slow } from "./slow.mjs";
import { tests as trouble } from "./trouble.mjs";
import { tests as views } from "./views.mjs";

const push = (n, say = "Pushed.") => `  - calls: [{name: bash, args: {command: "git push origin main; echo x >> ${n}.txt"}}]\n  - text: ${say}\n`;
// signal asks too, and publishes nothing: what publishes is answered by itself.
const signal = (n) => push(n).replace("git push origin main", "sleep 0; pkill -x nothing");
const tests = {};

// shot takes a picture into the folder SHOTS, to be looked at.
const shot = async (page, name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });

// choose takes one of the choices of a plan. The page may draw the questions again while one is clicked.
const choose = (page, n) => {
	const input = page.locator(".questions .choice input").nth(n);
	return until("the choice", async () => {
		await input.click().catch(() => {});
		return input.isChecked();
	});
};

tests["a link signs one browser in, once"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r, { signIn: false });
	const referers = [];
	page.on("request", (q) => referers.push(q.headers().referer ?? ""));
	await page.goto(r.ready.link);
	await page.waitForSelector(".head");
	assert(page.url() === r.url, "the code stays in the address: " + page.url());
	const code = r.ready.link.split("#k=")[1];
	assert(!referers.some((x) => x.includes(code)), "the code is in a Referer");
	const entries = await page.evaluate(() => performance.getEntries().map((e) => e.name).join(" "));
	assert(!entries.slice(entries.indexOf("v1/")).includes(code), "the code is in the timing of resources");
	const second = await b.page(r, { signIn: false });
	await second.goto(r.ready.link);
	await second.waitForSelector("input[type=password]");
	await second.waitForSelector("[role=alert]");
	await b.check(page);
	await r.close();
};

tests["a session is started, streams, and its requests are answered"] = async (b) => {
	const r = await new Rein(`pace: 5ms\nturns:\n  - text: "First I **look**. [https://good.example/evil.example](https://evil.example/) https://plain.example/x\\n\\n[later][1], and a footnote[^1].\\n\\n~~~\\n[INFO]: built\\n~~~\\n\\n[^1]: said once\\n\\n[1]: https://defined.example/y"\n    calls: [{name: bash, args: {command: "git push origin main; echo x >> one.txt"}}]\n  - expect: {contains: use the staging branch}\n    text: I will.\n`).start();
	const page = await b.page(r);
	await page.keyboard.press("g");
	await page.keyboard.press("s");
	await page.waitForSelector(".empty");
	await page.click("text=New session");
	await page.fill("dialog textarea", "go");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector(".ask");
	assert((await page.textContent(".md strong")) === "look", "the Markdown is not drawn");
	const links = await page.$$eval(".md a", (all) => all.map((a) => a.textContent).join());
	assert(links === "https://good.example/evil.example evil.example,https://plain.example/x,later defined.example", "links do not say where they lead, or twice: " + links);
	const answer = await page.textContent(".talk");
	assert(["[INFO]: built", "said once"].every((x) => answer.split(x).length === 2), "a line that looks like the address of a link stands in other blocks too: " + answer);
	// Messages that wait are edited and removed.
	for (const text of ["and then this", "never mind"]) {
		await page.fill("#composer", text);
		await page.click(".composer .foot button[type=submit]");
		await page.waitForSelector(`.queued >> text=${text}`);
	}
	await shot(page, "queued");
	await page.click(".queued:has-text('never mind') >> text=Remove");
	await page.waitForSelector(".queued:has-text('never mind')", { state: "detached" });
	await page.click(".queued:has-text('and then this') >> text=Edit");
	await page.waitForSelector(".queued", { state: "detached" });
	await until("the message back in the field", async () => (await page.inputValue("#composer")) === "and then this");
	await page.fill("#composer", "");
	await page.click(".ask button.no");
	await page.fill(".refuse textarea", "use the staging branch");
	await page.click(".refuse button[type=submit]");
	await page.waitForSelector("text=I will.");
	await page.waitForSelector("text=you denied this");
	assert(r.lines("one.txt") === 0, "a refused call ran");
	await page.fill("#composer", "x");
	assert((await page.textContent(".composer .hint")) === "Ctrl+Enter sends", "a key of another keyboard");
	await b.check(page);
	await r.close();
};

tests["keys answer the request that has the focus, and only after a moment"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const page = await b.page(r);
	// Every key that the card takes sends at once: what was sent is counted in the page.
	await page.evaluate(() => {
		const send = window.fetch;
		window.sent = 0;
		window.fetch = (to, how) => (how?.method === "POST" && window.sent++, send(to, how));
		new MutationObserver(() => {
			const card = document.querySelector(".ask");
			if (!card || window.early !== undefined) return;
			card.focus();
			card.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
			card.blur();
			window.early = window.sent;
		}).observe(document.body, { childList: true, subtree: true });
	});
	await r.api("POST", "/sessions", { text: "go" });
	await page.waitForSelector(".ask");
	await page.keyboard.press("y");
	assert((await page.evaluate(() => [window.early, window.sent])).join() === "0,0", "a key without focus, or at once, answered");
	await page.keyboard.press("j");
	await page.keyboard.type("so say yes", { delay: 20 }); // words are no answer
	await page.waitForTimeout(500);
	assert((await page.evaluate(() => window.sent)) === 0, "typed words answered a request");
	await page.keyboard.press("y");
	await until("the call runs", () => r.lines("one.txt") === 1);
	await page.waitForSelector(".answered >> text=you allowed this");
	const focus = await page.evaluate(() => document.activeElement?.tagName);
	assert(focus !== "BODY", "the focus is lost after the answer");
	// In the session too: j goes to what waits, y answers it.
	const s = await r.api("POST", "/sessions", { text: "again" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".talk .ask");
	await page.evaluate(() => document.activeElement?.blur());
	await page.keyboard.press("j");
	await page.keyboard.press("n"); // at once: it opens the field, and what follows is its words
	await page.keyboard.type("yes");
	assert((await page.inputValue(".refuse textarea")) === "yes", "words for the model went elsewhere");
	await page.fill(".refuse textarea", "");
	await page.keyboard.press("Escape");
	await pressAlone(page, "y");
	await until("the second call runs", () => r.lines("one.txt") === 2);
	await page.waitForSelector(".call.done");
	await page.evaluate(() => document.activeElement?.blur());
	await page.keyboard.press("j");
	assert(await page.evaluate(() => document.activeElement?.classList.contains("call")), "j goes to no call");
	await b.check(page);
	await r.close();
};

tests["two browsers and a restart: the request is shown again, the answer counts once"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const one = await b.page(r), two = await b.page(r, {});
	await r.api("POST", "/sessions", { text: "go" });
	await one.waitForSelector(".ask");
	await two.waitForSelector(".ask");
	await r.kill("SIGKILL");
	await one.waitForSelector(".bar.broken", { timeout: 15_000 });
	await r.start();
	await one.waitForSelector(".bar.broken", { state: "detached", timeout: 30_000 });
	await until("both are connected", async () => (await two.$(".bar.broken")) === null);
	assert(r.lines("one.txt") === 0, "the call ran without an answer");
	await one.click(".ask button.main");
	await until("the side effect", () => r.lines("one.txt") === 1);
	await two.waitForSelector(".answered >> text=you allowed this", { timeout: 20_000 });
	assert((await two.$(".ask")) === null, "the request is still shown in the other browser");
	await until("the end of the turn", async () => (await r.api("GET", "/sessions")).every((s) => s.state === "idle"));
	assert(r.lines("one.txt") === 1, "the call ran twice");
	await b.check(one);
	await r.close();
};

tests["a page that is opened late shows that the model is tried again"] = async (b) => {
	const r = await new Rein(`turns:\n  - error: {status: 529, times: 1, retry_after: 30s}\n    text: At last.\n`).start();
	const early = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(early, "s/" + s.id);
	await early.waitForSelector(".note-line >> text=trying again");
	const late = await b.page(r, { at: "s/" + s.id });
	await late.waitForSelector(".note-line >> text=trying again");
	for (const p of [early, late]) assert((await p.locator(".note-line >> text=trying again").count()) === 1, "the notice is shown twice");
	await b.check(late);
	await r.close();
};

tests["an answer appears in the other browser at once"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const one = await b.page(r), two = await b.page(r, {});
	await r.api("POST", "/sessions", { text: "go" });
	await one.waitForSelector(".ask");
	await two.waitForSelector(".ask");
	await until("the button", () => one.isEnabled(".ask button.main")); // not at once
	const gone = two.evaluate(() => new Promise((ok) => {
		const look = () => (document.querySelector(".ask") ? requestAnimationFrame(look) : ok(Date.now()));
		look();
	}));
	const begun = await one.evaluate(() => (document.querySelector(".ask button.main").click(), Date.now()));
	const took = (await gone) - begun;
	assert(late || took < 2000, `it took ${took} ms`); // 150 ms on two busy cores; the server's part has a test of its own
	console.error("two browsers:", took, "ms");
	await b.check(two);
	await r.close();
};

tests["several requests are answered together, each as it was shown"] = async (b) => {
	const r = await new Rein("turns:\n" + signal("one")).start();
	const page = await b.page(r);
	for (let i = 0; i < 3; i++) await r.api("POST", "/sessions", { text: "go " + i });
	await until("three requests", async () => (await page.$$(".askrow")).length === 2);
	await page.click(".ask .check input");
	await page.click(".askrow >> nth=0");
	await page.click(".ask .check input");
	await page.waitForSelector(".batch");
	await r.api("POST", "/sessions", { text: "newcomer" });
	await until("a fourth", async () => (await page.$$(".askrow")).length === 3);
	assert((await page.title()) === "(4) rein", "the title has no count: " + (await page.title()));
	await page.click(".batch button.main");
	await until("two calls", () => r.lines("one.txt") === 2);
	await until("two are left", async () => (await page.$$(".askrow, .ask")).length === 2);
	await b.check(page);
	await r.close();
};

tests["a row of the inbox says what its request would do, and why it asks"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one").replace("git push origin main", "git push --force origin main; rm -rf build src")).start();
	const page = await b.page(r);
	for (let i = 0; i < 2; i++) await r.api("POST", "/sessions", { text: "go " + i });
	await page.waitForSelector(".askrow .whyrow");
	const row = await page.innerText(".askrow");
	for (const says of ["high risk", "Removes", "Network", "git push --force", "force"]) assert(row.includes(says), `the row does not say ${says}: ${row}`);
	await shot(page, "rows");
	await b.check(page);
	await r.close();
};

tests["a key that is held down answers once, and keeps no rule"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: npm ci}}]\n  - text: Done.\n").start();
	const page = await b.page(r);
	for (let i = 0; i < 3; i++) await r.api("POST", "/sessions", { text: "go " + i });
	await until("three requests", async () => (await page.$$(".askrow")).length === 2);
	const hold = async (key, at) => {
		await page.focus(at);
		await page.waitForTimeout(500);
		for (let i = 0; i < 40; i++) {
			await page.keyboard.down(key); // the second one and later ones are repeats
			await page.waitForTimeout(30);
		}
		await page.keyboard.up(key);
	};
	await hold("y", ".ask");
	await until("one answer", async () => (await page.$$(".askrow")).length === 1);
	await hold("Enter", ".ask button:has-text('Allow by rule')");
	await page.waitForSelector(".ruledraft button.main");
	assert((await page.$$(".askrow, .ask")).length === 2, "a held Enter answered");
	assert((await page.$$(".answered li")).length === 1, "more than one is answered");
	await b.check(page);
	await r.close();
};

tests["a link to no session says so and ends no other tab's line; Ctrl+K begins to search"] = async (b) => {
	const r = await new Rein("turns: [{text: All is well.}]").start();
	const page = await b.page(r);
	const other = await page.context().newPage();
	await other.goto(r.url + "s/nothing");
	await other.waitForSelector("text=No such session");
	await other.goto(r.url + "timeline/nothing");
	await other.waitForSelector("text=No such session");
	await b.check(other);
	const s = await r.api("POST", "/sessions", { text: "hello there" });
	await page.goto(r.url + "s/" + s.id);
	await page.waitForSelector("text=All is well.");
	await page.keyboard.press("Control+k");
	await page.waitForSelector("dialog[open]");
	await page.keyboard.type("inbo");
	assert((await page.inputValue("dialog[open] input")) === "inbo", "what is typed after Ctrl+K goes elsewhere");
	await page.keyboard.press("Enter");
	await page.waitForSelector("h1 >> text=Inbox");
	await page.goto(new URL("inbox", r.url).href);
	await until("the inbox, by its name", () => page.url() === r.url);
	await r.close();
};

tests["a break in the middle of an answer loses no text and doubles none"] = async (b) => {
	const text = Array.from({ length: 300 }, (_, i) => `word${i} é 漢`).join(" ");
	const r = await new Rein(`pace: ${late ? 60 : 12}ms\ndelta: 17\nturns: [{text: "${text}"}]`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	const shown = () => page.evaluate(() => document.querySelector(".md")?.textContent.length ?? 0);
	for (let i = 0; i < 3; i++) {
		const before = await shown();
		await until("more text", async () => (await shown()) > before);
		await page.context().setOffline(true);
		await new Promise((ok) => setTimeout(ok, 300)); // some text is written meanwhile
		await page.context().setOffline(false);
	}
	await until("the end", async () => (await page.textContent(".head .state")) === "answered", 40_000);
	await until("the text", async () => (await page.textContent(".md")).trim() === text, 5000).catch(async () => assert(false, "the text is another one: " + (await page.textContent(".md")).slice(0, 300)));
	await b.check(page);
	await r.close();
};

// A browser opens six connections to one server: with a stream for each tab, the seventh would hang.
tests["eight tabs work with one stream, also when the first closes"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const first = await b.page(r);
	const tabs = await Promise.all(Array.from({ length: 7 }, () => b.more(first.context(), r)));
	await first.close();
	await r.api("POST", "/sessions", { text: "go" });
	await Promise.all(tabs.map((t) => t.waitForSelector(".ask", { timeout: 30_000 })));
	await b.check(tabs[3]);
	await r.close();
};

tests["a question is answered in the page"] = async (b) => {
	const r = await new Rein(`turns:
  - calls: [{name: ask_user, args: {questions: [{question: "Which store?", header: store, choices: [{label: SQLite, description: one file}, {label: Postgres}]}, {question: "Which systems?", several: true, choices: [{label: Linux}, {label: macOS}]}, {question: "A name?", choices: []}]}}]
  - expect: {contains: "Postgres"}
    text: Postgres it is.
  - calls: [{name: ask_user, args: {questions: [{question: "Sure?"}]}}]
  - text: I go on without an answer.
`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await page.waitForSelector(".ask h2 >> text=A question for you");
	assert((await page.$(".ask .check")) === null, "a question can be answered together with others");
	await page.focus(".ask");
	await page.waitForTimeout(500); // keys count from 400 ms on
	await page.keyboard.press("y");
	assert((await r.api("GET", "/inbox")).requests.length === 1, "a key answered a question");
	assert(await page.isDisabled(".questions button.main"), "an answer without anything in it can be sent");
	await shot(page, "question");
	await page.click("text=Postgres");
	await page.click("text=Linux");
	await page.click("text=macOS");
	await page.fill(".questions textarea >> nth=-1", "Knot");
	await page.click(".questions button.main");
	await page.waitForSelector(".answered >> text=you answered");
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=Postgres it is.");
	const given = await page.$$eval(".given dd", (all) => all.map((e) => e.textContent));
	assert(given.join() === "Postgres,Linux · macOS,Knot", "the answers are shown as " + given.join());
	await page.fill("#composer", "more");
	await page.keyboard.press("Control+Enter");
	await page.click(".questions button.no");
	await page.waitForSelector("text=you did not answer");
	await page.waitForSelector("text=I go on without an answer.");
	await shot(page, "answered");
	await b.check(page);
	await r.close();
};

tests["a form of a tool server is filled in; what is required and left out is asked again"] = async (b) => {
	const form = { type: "object", required: ["name"], properties: { name: { type: "string", title: "Name" }, day: { type: "string", enum: ["Mon", "Tue"] }, people: { type: "integer", default: 2 } } };
	const server = `require("readline").createInterface({ input: process.stdin }).on("line", (l) => {
		const m = JSON.parse(l), say = (x) => console.log(JSON.stringify({ jsonrpc: "2.0", ...x })), ok = (result) => say({ id: m.id, result });
		if (m.method === "initialize") ok({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "desk", version: "1" } });
		else if (m.method === "tools/list") ok({ tools: [{ name: "book", inputSchema: { type: "object" } }] });
		else if (m.method === "tools/call") (call = m.id, say({ id: "q", method: "elicitation/create", params: { message: "A table", requestedSchema: ${JSON.stringify(form)} } }));
		else if (m.id === "q") say({ id: call, result: { content: [{ type: "text", text: "got " + JSON.stringify(m.result) }] } });
		else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: "no" } });
	}); let call;`;
	const r = await new Rein("turns:\n  - calls: [{name: mcp__desk__book, args: {}}]\n  - expect: {contains: '{\"name\":\"Mei\",\"people\":2'}\n    text: Booked.\n",
		{ permissions: { allow: ["mcp__desk"] }, mcpServers: { desk: { command: process.execPath, args: ["-e", server], sandbox: "off", start: "required" } } }).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { dir: r.dir, text: "book" });
	await page.goto(r.url + "s/" + s.id);
	await page.waitForSelector(".questions");
	const chinese = await b.page(r, { locale: "zh-CN", at: "s/" + s.id });
	for (const words of ["工具服务器 desk", "Name（必填）", "people（留空则为 2）"]) await chinese.waitForSelector(".questions >> text=" + words);
	assert((await page.$$(".questions textarea")).length === 2, "a field without choices has no place for the answer");
	await choose(page, 0);
	await page.click(".questions button[type=submit]");
	await page.waitForSelector(".questions >> text=That does not fit: name: required");
	await chinese.waitForSelector(".questions >> text=不符合要求：name 为必填。");
	assert(await page.isChecked(".questions .choice:has-text('Mon') input"), "what was filled in is gone");
	await page.locator(".questions fieldset:has-text('Name (required)') textarea").fill("Mei");
	await page.click(".questions .choice:has-text('Mon') input"); // taken back
	assert(!(await page.isChecked(".questions .choice:has-text('Mon') input")), "a choice cannot be taken back");
	await axe(page, "a form of a tool server");
	await page.click(".questions button[type=submit]");
	await page.waitForSelector("text=Booked.");
	await chinese.waitForSelector("text=Booked.");
	assert((await chinese.$(".notsent")) === null, "what others wrote is shown as not sent");
	await visit(page, "");
	await page.waitForSelector(".answered li:has-text('name: required') >> text=you answered");
	await b.check(page);
	await r.close();
};

tests["a form with nothing required shows its bounds, and is left as it is with Ctrl+Enter"] = async (b) => {
	const form = { type: "object", properties: { people: { type: "integer", minimum: 1, maximum: 9, default: 2 }, note: { type: "string", maxLength: 80 } } };
	const server = `require("readline").createInterface({ input: process.stdin }).on("line", (l) => {
		const m = JSON.parse(l), say = (x) => console.log(JSON.stringify({ jsonrpc: "2.0", ...x })), ok = (result) => say({ id: m.id, result });
		if (m.method === "initialize") ok({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "desk", version: "1" } });
		else if (m.method === "tools/list") ok({ tools: [{ name: "book", inputSchema: { type: "object" } }] });
		else if (m.method === "tools/call") (call = m.id, say({ id: "q", method: "elicitation/create", params: { message: "A table", requestedSchema: ${JSON.stringify(form)} } }));
		else if (m.id === "q") say({ id: call, result: { content: [{ type: "text", text: "got " + JSON.stringify(m.result) }] } });
		else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: "no" } });
	}); let call;`;
	const r = await new Rein("turns:\n  - calls: [{name: mcp__desk__book, args: {}}]\n  - expect: {contains: '\"people\":2'}\n    text: Booked.\n",
		{ permissions: { allow: ["mcp__desk"] }, mcpServers: { desk: { command: process.execPath, args: ["-e", server], sandbox: "off", start: "required" } } }).start();
	const s = await r.api("POST", "/sessions", { dir: r.dir, text: "book" });
	const chinese = await b.page(r, { locale: "zh-CN", at: "s/" + s.id });
	for (const words of ["people（1 到 9）（留空则为 2）", "note（至多 80 个字符）"]) await chinese.waitForSelector(".questions >> text=" + words);
	const page = await b.page(r);
	await page.goto(r.url + "s/" + s.id);
	await page.waitForSelector(".questions >> text=people (1 to 9) (2 if left out)");
	await page.focus(".questions textarea");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=Booked.");
	await b.check(page);
	await r.close();
};

tests["arguments are changed before an approval; content of the folder is trusted as shown"] = async (b) => {
	const r = new Rein("turns:\n" + push("one"));
	fs.writeFileSync(r.dir + "/AGENTS.md", "Always write haiku. \u202e\n");
	await r.start();
	const page = await b.page(r);
	await page.click(".trustrow");
	await page.waitForSelector("pre.text >> text=Always write haiku.");
	assert((await page.$("pre.text .hidden-char")) !== null, "an invisible character is not shown");
	fs.writeFileSync(r.dir + "/AGENTS.md", "Always write sonnets.\n");
	await page.click(".card button.main");
	await page.waitForSelector(".failure");
	await page.waitForSelector("text=AGENTS.md");
	assert((await r.api("GET", "/trust"))[0].items[0].state === "new", "content that nobody saw is trusted");
	await page.waitForSelector("pre.text >> text=Always write sonnets."); // before that the button is about what was shown
	await page.click(".card button.main");
	await page.waitForSelector(".trustlist .tag.done");
	await r.api("POST", "/sessions", { text: "go" });
	await page.click("text=Inbox");
	await page.focus(".ask");
	await pressAlone(page, "e");
	await page.waitForSelector(".editcall");
	assert(await page.isDisabled(".editcall button.main"), "unchanged arguments can be sent as changed ones");
	await page.fill(".editcall textarea", "git push origin dev; echo x >> two.txt");
	await page.click(".editcall button.main");
	await page.waitForSelector(".ask .command >> text=two.txt");
	await page.click(".ask button.main");
	await until("the changed call runs", () => r.lines("two.txt") === 1);
	assert(r.lines("one.txt") === 0, "the call ran as it was");
	await b.check(page);
	await r.close();
};

tests["a secret that a tool server would get is shown with its host, and trusted by a tick of its own"] = async (b) => {
	const r = new Rein("turns: [{text: none}]\n");
	fs.writeFileSync(r.dir + "/AGENTS.md", "Always write haiku.\n");
	fs.writeFileSync(r.dir + "/.mcp.json", JSON.stringify({ mcpServers: { x: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${ACME_TOKEN}" } } } }));
	await r.start();
	const page = await b.page(r);
	await page.click(".trustrow");
	await page.waitForSelector(".trustlist .failure >> text=the tool server x gets ${ACME_TOKEN}: mcp.example.com");
	assert(await page.isChecked('[aria-label="AGENTS.md"]'), "the instructions are not chosen");
	assert(!(await page.isChecked('[aria-label=".mcp.json"]')), "one click trusts what sends a secret");
	await page.click(".card button.main >> text=Trust 1 item");
	await page.waitForSelector(".trustlist .tag.done");
	assert((await r.api("GET", "/trust"))[0].items.find((i) => i.kind === "mcp").state === "new", "it was trusted with the others");
	await page.check('[aria-label=".mcp.json"]');
	await page.click(".card button.main");
	await until("it is trusted", async () => (await r.api("GET", "/trust"))[0].items.every((i) => i.state === "trusted"));
	await b.check(page);
	await r.close();
};

tests["a task is planned, run, paused and deleted"] = async (b) => {
	const r = await new Rein("turns: [{text: All is well.}]").start();
	const page = await b.page(r);
	await page.click(".rail >> text=Schedules");
	await page.click(".empty button");
	await page.fill("dialog textarea >> nth=0", "look for flaky tests");
	await page.fill("dialog input.mono >> nth=0", "99 * * * *");
	await page.waitForSelector("dialog .failure");
	assert(await page.isDisabled("dialog button.main"), "a time that never comes can be saved");
	await page.fill("dialog input.mono >> nth=0", "@daily");
	assert((await page.$eval("dialog textarea.mono", (e) => getComputedStyle(e, "::placeholder").whiteSpace)) === "pre", "two rules of an example are shown in one line");
	await page.fill("dialog textarea.mono", "bash(");
	await page.waitForSelector("dialog textarea.mono >> xpath=../following-sibling::p[1]/span[@class='failure']");
	assert((await page.$$("dialog .failure")).length === 1 && !(await page.textContent("dialog .failure")).includes("command line"), "a fault of the rules is shown elsewhere");
	await page.fill("dialog textarea.mono", "");
	await page.waitForSelector("dialog [role=status] >> text=Next");
	await page.click("dialog button.main");
	await page.click(".card summary");
	await page.waitForSelector(".history p.dim >> nth=1"); // no runs yet
	await page.click(".card >> text=Run now");
	await page.waitForSelector(".card >> text=All is well.");
	await page.waitForSelector(".history li .tag >> text=done");
	await page.click(".card >> text=Pause");
	await page.waitForSelector(".card .tag >> text=paused");
	await page.click(".card >> text=Delete");
	await page.click(".card .no.full");
	await page.waitForSelector(".empty");
	await b.check(page);
	await r.close();
};

tests["rein demo --web plays without a key: browser, approval, diff, answer, timeline"] = async (b) => {
	const r = await new Rein("").start(["demo", "--web", "--json"]);
	const page = await b.page(r, { signIn: false });
	await page.goto(r.ready.link);
	await page.waitForSelector(".talk");
	for (;;) {
		const got = await Promise.race([page.waitForSelector(".ask button.main:enabled", { timeout: 60_000 }), page.waitForSelector("text=has no dash there any more", { timeout: 60_000 })]);
		if ((await got.textContent()).includes("no dash")) break;
		await shot(page, "demo-asks");
		await got.click();
		await got.waitForElementState("hidden").catch(() => null);
	}
	await page.waitForSelector(".diff");
	await shot(page, "demo");
	await visit(page, "timeline/" + page.url().split("/s/")[1]);
	await page.waitForSelector(".waterfall .wait");
	await shot(page, "demo-timeline");
	await b.check(page);
	await r.close();
};

tests["a call behind a request is not said to run"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}, {name: bash, args: {command: echo next}}]\n  - text: Done.\n").start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask .effects");
	await page.waitForSelector(".call .tag:text-is('running or next')");
	await page.click(".ask button.main");
	await page.waitForSelector("text=Done.");
	assert((await page.locator(".call .tag:text-is('running or next')").count()) === 0, "nothing waits any more");
	await b.check(page);
	await r.close();
};

tests["why a call asks is said in the page's language"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main && echo x > .git/hooks/y}}]\n  - text: Done.\n").start();
	for (const [locale, said] of [["en", "writes .git/hooks/y, which later programs trust: git runs it"], ["zh-CN", "写入 .git/hooks/y，后续程序会信任它：git 会运行它"]]) {
		const page = await b.page(r, { locale });
		const s = await r.api("POST", "/sessions", { text: "go" });
		await visit(page, "s/" + s.id);
		await page.waitForSelector(".ask .effects");
		const why = await page.$$eval(".ask .effects dd", (all) => all.map((e) => e.textContent));
		assert(why.some((t) => t.includes(said)), `${locale}: ${why}`);
		await shot(page, "why-" + locale);
		await page.click(".ask button.main");
		await page.waitForSelector("text=Done.");
		await b.check(page);
	}
	await r.close();
};

tests["a plan is refused with words, then approved, in English and Chinese"] = async (b) => {
	const plan = (n) => `  - calls: [{name: present_plan, args: {plan: "# Plan ${n}\\n\\n1. Read **a.go**\\n2. Write it\\n"}}]\n`;
	for (const [locale, words, done, mode] of [["en", "Carry out this plan?", "you answered", "supervised"], ["zh-CN", "执行此计划？", "你已回答", "监督"]]) {
		const r = await new Rein("turns:\n" + plan("one") + "  - expect: {contains: shorter}\n    calls: [{name: present_plan, args: {plan: \"# Plan two\"}}]\n  - expect: {contains: approved the plan}\n    text: I begin.\n").start();
		const page = await b.page(r, locale === "en" ? undefined : { locale });
		const s = await r.api("POST", "/sessions", { text: "go", mode: "plan" });
		await visit(page, "s/" + s.id);
		await page.waitForSelector(".ask h2 >> text=" + words);
		assert((await page.textContent(".plantext h1, .plantext h2, .plantext h3, .plantext h4")).includes("Plan one"), "the plan is not drawn");
		if (locale !== "en") assert(!/Carry out|the mode/.test(await page.textContent(".questions")), "the plan asks in English");
		await shot(page, "plan-" + locale);
		await page.setViewportSize({ width: 360, height: 780 });
		for (const view of ["", "s/" + s.id]) {
			await visit(page, view);
			await page.waitForSelector(".plantext");
			await axe(page, `a plan in /${view} ${locale}`);
		}
		await page.setViewportSize({ width: 1280, height: 820 });
		await choose(page, 1);
		await page.fill(".questions textarea", "make it shorter");
		await page.click(".questions button.main");
		await page.waitForSelector(".plantext >> text=Plan two");
		assert((await r.api("GET", "/sessions/" + s.id)).mode === "plan", "a refused plan ended plan mode");
		await choose(page, 0);
		await page.click(".questions button.main");
		await page.waitForSelector("text=I begin.");
		await page.waitForSelector(".by >> text=" + done);
		await until("the mode", async () => (await page.$eval("#mode", (e) => e.selectedOptions[0].textContent)) === mode);
		assert((await page.$eval("#mode", (e) => e.value)) === "supervised", "the mode is another one");
		await page.selectOption("#mode", "auto");
		await until("the mode auto", async () => (await r.api("GET", "/sessions/" + s.id)).mode === "auto");
		await shot(page, "planned-" + locale);
		await b.check(page);
		await r.close();
	}
};

tests["hooks, sub-agents and files that were sent are shown"] = async (b) => {
	const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo no shell here >&2; exit 2" }] }] };
	const r = await new Rein(`turns:
  - calls: [{name: write_file, args: {path: out.csv, content: "a,b\\n"}}, {name: send_file, args: {path: out.csv, note: the table}}, {name: send_file, args: {path: dot.png}}, {name: send_file, args: {path: evil.svg}}, {name: bash, args: {command: "ls"}}, {name: agent, args: {task: the errand, description: count the cards, background: true}}]
  - text: That is all.
  - text: I know.
conversations:
  - when: the errand
    turns: [{text: Three cards.}]
`, { hooks });
	fs.writeFileSync(r.dir + "/dot.png", Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64"));
	fs.writeFileSync(r.dir + "/evil.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' onload='alert(1)'><script>alert(2)</script><image href='http://evil.example/x.png'/></svg>");
	await r.start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=That is all.");
	await page.waitForSelector(".hook >> text=no shell here");
	await page.waitForSelector(`.sent .mono >> text="${r.dir}/out.csv"`);
	await still(page);
	// Copying works without the interface that needs TLS.
	await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
	await page.click(".sent:has-text('out.csv') button");
	await page.focus("#composer");
	await page.keyboard.press("Control+V");
	assert((await page.inputValue("#composer")) === `${r.dir}/out.csv`, "something else was copied: " + (await page.inputValue("#composer")));
	let file = null; // a click may miss while the list still grows
	for (let n = 0; n < 5 && !file; n++)
		[file] = await Promise.all([page.waitForEvent("download", { timeout: 10000 }).catch(() => null), page.click(".sent:has-text('out.csv') a")]);
	assert(file, "nothing was downloaded");
	assert(file.suggestedFilename() === "out.csv" && fs.readFileSync(await file.path(), "utf8") === "a,b\n", "the download is another file");
	// Images are shown: as an image, an SVG file runs nothing and loads nothing.
	await until("two images", () => page.$$eval("img.shown", (all) => all.length === 2 && all.every((i) => i.complete && i.naturalWidth > 0)));
	assert((await page.getAttribute("img.shown >> nth=0", "alt")) === "dot.png", "the image has no name");
	await page.waitForSelector(".child >> text=count the cards");
	assert((await page.textContent(".side .plan")).includes("general: count the cards"), "the sub-agent is not in the details");
	await shot(page, "kinds");
	await visit(page, "timeline/" + s.id);
	await page.waitForSelector(".waterfall .agent >> text=count the cards");
	await shot(page, "timeline");
	await b.check(page);
	await r.close();
};

tests["hostile text runs nothing, loads nothing and hides nothing"] = async (b) => {
	const evil = [
		"<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)></svg><iframe src='http://evil.example'></iframe>",
		"[a](javascript:alert(4)) [b](data:text/html,<script>alert(5)</script>) ![c](http://evil.example/x.png)",
		"> ".repeat(3000) + "deep", "```\\nunclosed " + "x".repeat(5000),
	].map((x) => x.replaceAll('"', "'")).join("\\n\\n");
	const r = await new Rein(`turns:
  - text: "${evil}"
    calls: [{name: bash, args: {command: "printf '\\\\033]8;;http://evil.example\\\\007link\\\\033]8;;\\\\007 \\\\033[2J\\\\033[31mred \\\\342\\\\200\\\\256gnp.exe <img src=x onerror=alert(6)>'; head -c 300000 /dev/zero | tr '\\\\0' y"}}]
  - calls: [{name: bash, args: {command: "ls \\u202e# nigiro hsup tig"}}, {name: bash, args: {command: "git push origin main # <script>alert(7)</script><img src=x onerror=alert(9)>"}}]
  - text: end
`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "<img src=x onerror=alert(8)>" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask");
	assert((await page.$("main iframe, main script, main img, main svg[onload]")) === null, "HTML was made from text");
	assert((await page.$$eval("main a[href]", (all) => all.map((a) => a.href).filter((h) => !/^https?:|^mailto:/.test(h)))).length === 0, "a link that is not http");
	if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
	await page.waitForSelector(".call.denied .hidden-char >> text=U+202E");
	assert(!(await page.textContent(".output")).includes("\u202e"), "the output turns the direction");
	await visit(page, "");
	await page.waitForSelector(".ask .command >> text=<script>alert(7)");
	await b.check(page);
	await r.close();
};

const shared = `turns:
  - text: "I write it."
    calls: [{name: write_file, args: {path: notes/one.md, content: "first\\n"}}, {name: write_file, args: {path: notes/two.md, content: "second\\n"}}]
  - text: Written.
  - calls: [{name: write_file, args: {path: notes/one.md, content: "other\\n"}}]
  - text: Changed.
  - expect: {contains: "Read notes/two.md twice"}
    text: Expanded.
`;

tests["a message names files and commands by their first letters; the model is chosen"] = async (b) => {
	const r = new Rein(shared.replace("turns:", "context: 50000\nturns:"));
	fs.mkdirSync(path.join(r.root, "home", "config", "commands"), { recursive: true });
	fs.writeFileSync(path.join(r.root, "home", "config", "commands", "review.md"), "---\ndescription: Reads a file again\nargument-hint: FILE\n---\nRead $1 twice\n");
	fs.writeFileSync(r.dir + "/.env", "KEY=hidden-value");
	fs.writeFileSync(r.dir + "/blank name.md", "words");
	await r.start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=Written.");
	await page.waitForSelector(".head .context >> text=/context \\d+ %/");
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially("look at @two");
	await page.waitForSelector("#offers [role=option][aria-selected=true] >> text=notes/two.md");
	await axe(page, "the list of files");
	await page.keyboard.press("Enter");
	assert((await page.inputValue("#composer")) === "look at @notes/two.md ", "another file: " + (await page.inputValue("#composer")));
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially("look at @blank");
	await page.waitForSelector("#offers [role=option][aria-selected=true] >> text=blank name.md");
	await page.keyboard.press("Tab");
	assert((await page.inputValue("#composer")) === 'look at @"blank name.md" ', "a name with blanks: " + (await page.inputValue("#composer")));
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially('look at @"blank na');
	await page.waitForSelector(".offers [role=option] >> text=blank name.md");
	await page.keyboard.press("Enter");
	assert((await page.inputValue("#composer")) === 'look at @"blank name.md" ', "a name behind a blank: " + (await page.inputValue("#composer")));
	await page.fill("#composer", "/nothing here");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector(".composer .failure >> text=There is no such command. Write // to send");
	assert((await page.inputValue("#composer")) === "/nothing here", "the words of a command that is none are lost");
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially("see @.en");
	await settled(page);
	assert((await page.$("#offers")) === null, "a file with secrets is offered");
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially("see @on");
	await page.waitForSelector("#offers");
	await page.keyboard.press("Escape");
	await page.waitForSelector("#offers", { state: "detached" });
	assert((await page.evaluate(() => document.activeElement.id)) === "composer", "Escape left the field though a list was open");
	// Of more files than one answer has, those with the letters are found.
	fs.mkdirSync(r.dir + "/a-many");
	for (let i = 0; i <= 5000; i++) fs.writeFileSync(`${r.dir}/a-many/${i}`, "");
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially("see @two");
	await page.waitForSelector("#offers [role=option][aria-selected=true] >> text=notes/two.md");
	fs.rmSync(r.dir + "/a-many", { recursive: true });
	await page.fill("#composer", "");
	await page.locator("#composer").pressSequentially("/");
	await page.waitForSelector("#offers [aria-selected=true] >> text=compact");
	await page.keyboard.press("ArrowDown");
	assert((await page.$("#offers [aria-selected=true] >> text=compact")) === null, "the arrow chose nothing");
	await page.locator("#composer").pressSequentially("rev");
	await page.waitForSelector("#offers [aria-selected=true] >> text=review");
	await page.waitForSelector("#offers >> text=FILE · Reads a file again");
	await page.keyboard.press("Tab");
	assert((await page.inputValue("#composer")) === "/review ", "another command: " + (await page.inputValue("#composer")));
	// A command is expanded as in the terminal.
	await page.fill("#composer", "change it");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=Changed.");
	await page.fill("#composer", "/review notes/two.md");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=Expanded.");
	// Another model, by name.
	const other = path.join(r.root, "other.yaml");
	fs.writeFileSync(other, "turns: [{text: From the other model.}]");
	await page.click(".composer .about");
	await page.fill("dialog input", "script/" + other);
	await page.waitForSelector("dialog .note >> text=other.yaml");
	await page.keyboard.press("Enter");
	await page.waitForSelector(".composer .about >> text=other.yaml");
	await b.check(page);
	await r.close();
};

tests["files go back to an undo point, and with the conversation to a message"] = async (b) => {
	const r = await new Rein(shared.replaceAll("notes/", "")).start();
	const one = () => {
		try {
			return fs.readFileSync(r.dir + "/one.md", "utf8");
		} catch {
			return false; // it is gone
		}
	};
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=Written.");
	await page.fill("#composer", "change it");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=Changed.");
	// The newest point: one file. The point before it: what two calls did.
	await visit(page, "files?show=undo");
	await page.waitForSelector(".points > li >> nth=2");
	await axe(page, "undo points");
	await page.click(".points > li >> nth=0 >> text=Undo…");
	await page.waitForSelector("dialog .diff >> text=first");
	await axe(page, "what an undo does");
	await page.click("dialog button.main");
	await until("the file as before", () => one() === "first\n");
	await page.waitForSelector(".points .past");
	await until("the undo as a point of its own", async () => (await page.$$(".points > li")).length === 4);
	// The message: its files and the conversation, with a look before. The undo took its lines off the list of changed files.
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".filelist >> text=two.md");
	const line = async () => (await page.textContent(".filelist li:has-text('one.md')")).replace("one.md", "");
	await until("the changed files after an undo", async () => (await line()) === "+1 −0");
	const first = ".person:has-text('go')"; // the newest message may be shown before it
	await page.hover(first);
	await page.click(first + " >> button[title='Rewind to here']");
	await page.waitForSelector("dialog >> text=/Also undo 2 changes of files/");
	await page.waitForSelector("dialog .path >> text=two.md");
	await page.click("dialog button.main");
	await until("no files", () => one() === false);
	await until("an empty conversation", async () => (await page.$$(".person")).length === 0);
	await b.check(page);
	await r.close();
};

tests["a command that changed files is taken back where it stands, and stays so"] = async (b) => {
	const r = await new Rein(`turns:\n  - calls: [{name: bash, args: {command: "echo x > made.txt"}}, {name: bash, args: {command: "echo nothing"}}]\n  - text: Made.\n`).start();
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	const page = await b.page(r, { at: "s/" + s.id });
	await page.waitForSelector("text=Made.");
	assert((await page.locator(".call >> text=Undo…").count()) === 1, "a call that changed nothing can be undone");
	await page.click(".call:has-text('made.txt') >> text=Undo…");
	await page.route("**/undo", (route) => (route.request().postDataJSON().hash ? route.fulfill({ json: { hash: "", done: true, files: [], conflicts: [], failed: ["made.txt"] } }) : route.continue()));
	await page.click("dialog button.main");
	await page.waitForSelector("dialog [role=alert] >> text=could not be restored: made.txt"); // as a file that rein may not write
	await page.unroute("**/undo");
	await page.click("dialog button.main");
	await until("no file", () => r.lines("made.txt") === 0);
	await page.reload();
	await page.waitForSelector("text=Made.");
	assert((await page.locator(".call >> text=Undo…").count()) === 0, "what is undone is offered once more");
	await page.reload();
	await page.waitForSelector(".call .tag >> text=undone"); // also in a page that opens the session later
	await b.check(page);
	await r.close();
};

tests["an error of a provider is told in the language of the page"] = async (b) => {
	const r = await new Rein("turns:\n  - error: {status: 401, times: 9}\n").start();
	const one = await r.api("POST", "/sessions", { text: "go" });
	for (const [locale, said] of [["en", "not authorised"], ["zh-CN", "：没有授权（401）："]]) {
		const page = await b.page(r, { locale });
		await visit(page, "s/" + one.id);
		await page.waitForSelector(`.end.error >> text=${said}`);
		await b.check(page);
		await page.close();
	}
	await r.close();
};

tests["an input method's Enter sends nothing; drafts belong to their session"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}, {text: hi}]").start();
	const page = await b.page(r);
	const one = await r.api("POST", "/sessions", { text: "one" }), two = await r.api("POST", "/sessions", { text: "two" });
	await visit(page, "s/" + one.id);
	await page.fill("#composer", "a draft");
	await page.dispatchEvent("#composer", "compositionend");
	await page.evaluate(() => document.querySelector("#composer").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, isComposing: true, bubbles: true })));
	assert((await page.inputValue("#composer")) === "a draft", "the Enter of an input method sent the message");
	await page.click(`.recent a[href$="${two.id}"]`);
	await until("the other session", async () => (await page.inputValue("#composer")) === "");
	await page.click(`.recent a[href$="${one.id}"]`);
	await until("the draft", async () => (await page.inputValue("#composer")) === "a draft");
	await b.check(page);
	await r.close();
};

tests["somebody with an account elsewhere signs in, and nobody without a role"] = async (b) => {
	for (const [groups, works] of [[["developers"], true], [["others"], false]]) {
		const accounts = await new Accounts({ email: "mei@example.org", email_verified: true, groups }).start();
		const r = await new Rein("turns: [{text: hi}]", { server: { signIn: { issuer: accounts.url, clientID: "rein", roles: { developers: "approver" } } } }).start();
		const page = await b.page(r, { signIn: false, also: [accounts.url] });
		await page.goto(r.url + "rules");
		await page.waitForSelector("a.button >> text=/Sign in with/");
		await axe(page, "the sign-in");
		await shot(page, "sign-in");
		await page.click("a.button");
		if (works) {
			await page.waitForSelector(".head h1 >> text=Rules");
			await visit(page, "settings");
			await page.waitForSelector("text=mei@example.org");
		} else {
			await page.waitForSelector("[role=alert] >> text=has no role");
			assert(!page.url().includes("sign-in"), "the answer stays in the address");
		}
		await b.check(page);
		await r.close();
		accounts.close();
	}
};

tests["a viewer sees requests and cannot answer"] = async (b) => {
	const r = await new Rein("turns:\n" + push("one")).start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const owner = r.key;
	r.key = execFileSync(process.env.REIN_BINARY, ["serve", "users", "add", "vera"], { env: { PATH: process.env.PATH, HOME: r.root, REIN_HOME: r.root + "/home" } }).toString().trim();
	const page = await b.page(r, { signIn: false });
	await page.goto(r.url);
	await page.fill("input[type=password]", r.key);
	await page.press("input[type=password]", "Enter");
	await page.waitForSelector(".ask");
	assert(await page.isDisabled(".ask button.main"), "a viewer can press Allow");
	assert((await page.$("text=Audit")) === null, "a viewer sees the audit view");
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".person .meta >> text=owner");
	const [ask] = (await r.api("GET", "/inbox")).requests;
	r.key = owner;
	await r.api("POST", `/inbox/${ask.session}/${ask.call}`, { choice: "approved", hash: ask.hash });
	await page.waitForSelector(".call .by >> text=owner allowed this");
	await b.check(page);
	await r.close();
};

tests["a long command is read to its end, and the view stays where the reader is"] = async (b) => {
	const long = Array.from({ length: 120 }, (_, i) => "echo " + i).join("; ");
	const r = await new Rein(`pace: 30ms\nturns:\n  - calls: [{name: bash, args: {command: "git push origin main; ${long}; rm -rf end"}}]\n  - think: "${"a thought \\n\\n".repeat(60)}"\n    text: "${"a line of text \\n\\n".repeat(150)}"\n`).start();
	const page = await b.page(r);
	await page.setViewportSize({ width: 390, height: 700 });
	const s = await r.api("POST", "/sessions", { text: "go" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask .command");
	assert(await page.isDisabled(".ask button.main"), "Allow can be pressed before the end was seen");
	const box = await (await page.$(".ask .command")).boundingBox();
	assert(box.height < 700 * 0.45, "the command is " + box.height + " high");
	await page.$eval(".ask .command", (e) => ((e.scrollTop = e.scrollHeight), e.scrollIntoView()));
	await until("Allow", async () => !(await page.isDisabled(".ask button.main")));
	await page.click(".ask button.main");
	await until("text beyond the screen", async () => page.$eval(".talk", (e) => e.scrollHeight > e.clientHeight + 900));
	// It follows the end through the thinking into the answer, until the reader goes elsewhere.
	const beyond = () => page.$eval(".talk", (e) => e.scrollHeight - e.clientHeight - e.scrollTop);
	await until("the end is shown", async () => (await page.textContent(".md").catch(() => "")) !== "" && (await beyond()) < 5);
	assert((await page.$(".newest")) === null, "it does not follow any more");
	await page.hover(".talk");
	await page.mouse.wheel(0, -400);
	await page.waitForSelector(".newest");
	// What the reader sees is the same after the rest of the answer and its end.
	const seen = () => page.$eval(".talk", (talk) => {
		const top = talk.getBoundingClientRect().top;
		const all = [...talk.querySelectorAll(".md .block")];
		return { at: talk.scrollTop, block: all.findIndex((e) => e.getBoundingClientRect().bottom > top), height: talk.scrollHeight };
	});
	let before = await seen();
	await until("the wheel", async () => {
		const last = before;
		before = await seen();
		return last.at === before.at;
	});
	await until("the end", async () => (await page.textContent(".head .state")) === "answered", 60_000);
	await page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok))));
	const after = await seen();
	assert(Math.abs(after.at - before.at) < 60 && after.block === before.block, `the view moved from ${JSON.stringify(before)} to ${JSON.stringify(after)}`);
	await b.check(page);
	await r.close();
};

tests["files, jobs, rules and settings are shown and changed"] = async (b) => {
	const r = new Rein(`turns:
  - calls: [{name: write_file, args: {path: "sub/a.go", content: "package a\\n"}}, {name: write_file, args: {path: "<img src=x onerror=alert(1)>.txt", content: "<script>alert(2)</script>"}}, {name: bash, args: {command: "i=0; while true; do echo line $i; i=$((i+1)); sleep 0.5; done", background: true}}]
  - expect: {contains: "words of a file"}
    text: I read it.
`, { effort: "high" });
	fs.writeFileSync(r.dir + "/.env", "KEY=hidden-value");
	await r.start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await until("the turn", async () => (await r.api("GET", "/sessions/" + s.id)).state !== "working");
	// Files: a tree without secrets, a file by keyboard, what the session changed.
	await visit(page, "files");
	await page.waitForSelector(".entries >> text=<img src=x");
	assert(!(await page.textContent(".entries")).includes(".env"), "a file with secrets is listed");
	await page.focus(".entries button >> nth=0");
	await page.keyboard.press("Enter");
	await page.click(".entries >> text=a.go");
	await page.waitForSelector(".onefile >> text=package a");
	await axe(page, "a file");
	await page.goBack();
	await page.click(".segments >> text=Changes");
	await page.waitForSelector(".changed .diff >> text=<script>alert(2)");
	await axe(page, "changes");
	// A job: its output comes, and it is stopped.
	await visit(page, "jobs");
	await page.click(".card button[aria-expanded]");
	await page.waitForSelector(".card .output >> text=/line \\d+/");
	await axe(page, "jobs");
	await page.click(".card button.no");
	await page.waitForSelector(".card .tag >> text=/ended by|exit/");
	// A rule: explained, checked, kept, simulated, removed.
	await visit(page, "rules");
	await page.waitForSelector(".empty");
	await page.fill("input[placeholder='bash(git push:*)']", "bash(ls");
	await page.press("input[placeholder='bash(git push:*)']", "Enter");
	await page.waitForSelector(".box [role=alert]");
	await page.fill("input[placeholder='bash(git push:*)']", "bash(ls:*)");
	await page.click("text=Simulate >> nth=-1");
	await page.waitForSelector(".totals");
	await page.click(".box button.main");
	await page.waitForSelector(".rulelist >> text=bash(ls:*)");
	await page.fill("#search", "ls -l");
	await page.press("#search", "Enter");
	await page.waitForSelector(".explained .tag.waits");
	await axe(page, "rules");
	await page.click(".rulelist >> text=Remove");
	await page.waitForSelector(".rulelist", { state: "detached" });
	// A setting: searched, refused, changed.
	await visit(page, "settings");
	await page.fill("#search", "limits.timeout");
	await page.click("text=Change");
	await page.fill("input[aria-label='limits.timeout']", "soon");
	await page.click(".change button.main");
	await page.waitForSelector(".change [role=alert]");
	await axe(page, "a setting");
	await page.fill("input[aria-label='limits.timeout']", "90s");
	await page.click(".change button.main");
	await page.waitForSelector(".effective .value >> text=1m30s");
	// A file goes with a message.
	await visit(page, "s/" + s.id);
	await page.setInputFiles("input[type=file]", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("words of a file") });
	await page.waitForSelector(".attached [aria-label='Remove notes.txt']"); // it has come
	await page.fill("#composer", "read");
	await page.keyboard.press("Control+Enter");
	await page.waitForSelector("text=I read it.");
	await b.check(page);
	await r.close();
};

tests["every view passes axe: light and dark, wide and narrow, English and Chinese"] = async (b) => {
	const r = new Rein(`turns:
  - think: Let me see.
    text: "I look. \\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n\`\`\`go\\nfunc main() {} // x\\n\`\`\`\\n"
    calls: [{name: write_file, args: {path: a.go, content: "package a\\n"}}, {name: bash, args: {command: "seq 1 40; false"}}, {name: todo, args: {items: [{content: one, status: in_progress}]}}]
${push("one")}`);
	fs.writeFileSync(r.dir + "/AGENTS.md", "Always write haiku.\n");
	await r.start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	await until("a request", async () => (await r.api("GET", "/inbox")).requests.length === 1);
	const page = await b.page(r, {});
	for (const locale of ["en", "zh-CN"]) {
		await page.evaluate((language) => localStorage.setItem("rein.look", JSON.stringify({ language })), locale);
		await page.reload();
		for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [360, "dark"], [360, "light"]]) {
			await page.setViewportSize({ width, height: 780 });
			await page.emulateMedia({ colorScheme });
			// Every view in two looks, which are as different as can be; the most used ones in all.
			const all = (width === 1280) === (colorScheme === "light") && (width === 1280) === (locale === "en");
			for (const view of ["", "s/" + s.id, "sessions", ...(all ? ["timeline/" + s.id, "usage", "files", "files?show=changes", "jobs", "rules", "schedules", "agents", "skills", "mcp", "memory", "trust", "audit", "settings"] : [])]) {
				await visit(page, view);
				await settled(page);
				await axe(page, `/${view} ${colorScheme} ${width} ${locale}`);
			}
		}
	}
	await b.check(page);
	await r.close();
};

tests["10,000 events stay quick"] = async (b) => {
	const calls = (i) => Array.from({ length: 56 }, (_, n) => `{name: glob, args: {pattern: "x${i}-${n}.*"}}`).join(", ");
	const turns = Array.from({ length: 60 }, (_, i) => `  - text: "step ${i}"\n    calls: [${calls(i)}]\n`).join("");
	const r = await new Rein(`turns:\n${turns}  - text: end\n`, { maxTurns: 5000, limits: { callsPerHour: 100000, callsPerSession: 100000 } }).start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	let requests = 1;
	await until("the end", async () => {
		const now = await r.api("GET", "/sessions/" + s.id);
		if (now.state === "failed" || now.state === "idle" || now.state === "interrupted") requests = 0;
		for (const q of (await r.api("GET", "/inbox")).requests) await r.api("POST", `/inbox/${q.session}/${q.call}`, { choice: "approved", hash: q.hash });
		return requests === 0;
	}, 120_000);
	const page = await b.page(r);
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".call");
	for (let i = 0; i < 12; i++) {
		await page.evaluate(() => (document.querySelector(".talk").scrollTop = 0));
		const top = await page.waitForSelector(".earlier");
		if (!(await top.$("button"))) break;
		await page.click(".earlier button");
		await settled(page);
	}
	const recorded = (await r.api("GET", `/sessions/${s.id}/events?limit=1`)).events[0].seq;
	assert(recorded > 9000, `only ${recorded} events`);
	const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
	assert(nodes < 5000, `${nodes} elements: the list is not virtual`);
	// A frame's work, in time of the processor: other programs on the machine do not change it.
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
	const work = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
	const begun = await work();
	const frames = 60;
	await page.evaluate((n) => new Promise((ok) => {
		const t = document.querySelector(".talk");
		const step = (i) => ((t.scrollTop += 300), i < n ? requestAnimationFrame(() => step(i + 1)) : ok());
		step(1);
	}), frames);
	const ms = (1000 * (await work() - begun)) / frames;
	console.error("scrolling:", ms.toFixed(1), "ms of work in a frame,", nodes, "elements");
	assert(late || ms < 60, `${ms} ms of work in a frame`); // 6 ms are usual
	await b.check(page);
	await r.close();
};

Object.assign(tests, kept, shell, slow, trouble, views);
const browser = await new Browser().open();
const wanted = process.argv[2];
if (late > 0) console.error(`answers are up to ${late} ms late; REIN_E2E_SEED=${seed}`);
const longest = 300_000; // ms of a test: what a page promises may never come
for (const [name, run] of Object.entries(tests)) {
	if (wanted && !name.includes(wanted)) continue;
	const begun = Date.now();
	begin();
	let timer;
	try {
		await Promise.race([run(browser), new Promise((_, no) => (timer = setTimeout(() => no(new Error(`it does not end within ${longest} ms`)), longest)))]);
		console.log(JSON.stringify({ name, ms: Date.now() - begun }));
	} catch (e) {
		console.log(JSON.stringify({ name, ms: Date.now() - begun, error: String(e.stack ?? e) }));
	}
	clearTimeout(timer);
	for (const r of Rein.open) await r.kill(); // of a test that failed
	await browser.reset();
}
await browser.close();
process.exit(0);
