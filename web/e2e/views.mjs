// Tests of single views: diffs, rules, timeline, files, long outputs.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { Rein, assert, axe, late, pressAlone, settled, until, visit } from "./rein.mjs";

export const tests = {};
const shot = async (page, name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });

tests["differences are shown side by side, by a button and by a key, with the changed words marked"] = async (b) => {
	const r = new Rein(`turns:
  - calls: [{name: edit_file, args: {path: a.go, edits: [{old_string: "for i := 0; i < 5; i++ {", new_string: "for i := 0; i < most; i++ {"}]}}]
  - text: Done.
`);
	fs.writeFileSync(r.dir + "/a.go", "package a\n\nfunc f() {\n\tfor i := 0; i < 5; i++ {\n\t}\n}\n");
	await r.start();
	const page = await b.page(r, {});
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".diff .del .w >> text=/^5$/");
	await page.waitForSelector(".diff .add .w >> text=/^most$/");
	await page.click(".halve");
	await page.waitForSelector(".diff.halves");
	const [old, now] = await page.$$eval(".diff.halves tr:has(.del) .text", (all) => all.map((e) => e.textContent));
	assert(old.includes("i < 5") && now.includes("i < most"), `beside each other are ${old} and ${now}`);
	assert(await page.$eval(".diff.halves tr:has(.del)", (row) => row.querySelectorAll(".text").length === 2), "a change and its partner are in two rows");
	const widths = await page.$$eval(".diff.halves tr:has(.del) .text", (all) => all.map((e) => e.getBoundingClientRect().width));
	assert(Math.abs(widths[0] - widths[1]) < 5, "the sides have the widths " + widths);
	await axe(page, "a diff side by side");
	await shot(page, "halves");
	await visit(page, "files?show=changes");
	await page.waitForSelector(".diff.halves"); // it holds everywhere
	await page.evaluate(() => document.activeElement?.blur());
	await page.keyboard.press("d");
	await page.waitForSelector(".diff.halves", { state: "detached" });
	await page.keyboard.press("d");
	await page.setViewportSize({ width: 360, height: 780 });
	await page.waitForSelector(".diff:not(.halves)"); // no room
	await b.check(page);
	await r.close();
};

tests["a rule is edited, checked while it is written, and its past is shown before it is kept"] = async (b) => {
	const r = await new Rein(`turns:
  - calls: [{name: bash, args: {command: "git push origin main; echo x >> one.txt"}}]
  - text: Pushed.
  - calls: [{name: bash, args: {command: "npm ci"}}]
  - text: Installed.
`, { permissions: { ask: ["bash(git push:*)"] } }).start();
	const page = await b.page(r);
	await visit(page, "rules");
	await page.click(".rulelist >> text=Edit");
	assert((await page.inputValue("#rule")) === "bash(git push:*)", "the rule is not in the form");
	assert((await page.evaluate(() => document.activeElement.id)) === "rule", "the form has no focus");
	assert(await page.isDisabled(".box button.main"), "a rule that did not change can be saved");
	await page.fill("#rule", "bash(git push");
	await page.waitForSelector("#rulecheck [role=alert]");
	assert(await page.isDisabled(".box button.main"), "a rule that is wrong can be saved");
	await axe(page, "a rule that is wrong");
	await page.fill("#rule", "bash(git push --force:*)");
	await page.waitForSelector("#rulecheck .good");
	await page.click(".box summary");
	await page.fill(".box label:has-text('It must not cover') textarea", "git push --force origin");
	await page.waitForSelector("#rulecheck [role=alert]"); // a test of the rule fails
	await page.fill(".box label:has-text('It must not cover') textarea", "git push origin");
	await page.waitForSelector("#rulecheck .good");
	await page.click(".box .segments >> text=deny");
	await page.waitForSelector("#rulecheck .good");
	await shot(page, "rule");
	await page.press("#rule", "Enter");
	await page.waitForSelector(".rulelist >> text=bash(git push --force:*)");
	await until("one rule", async () => (await page.$$(".rulelist > ul > li")).length === 1);
	await page.click(".rulelist summary >> text=1 test");
	await page.waitForSelector(".rulelist .tests >> text=git push origin");
	const kept = JSON.stringify(await r.api("GET", "/rules"));
	assert(kept.includes('"decision":"deny"') && !kept.includes('bash(git push:*)'), "the rules are " + kept);
	// The rule that is edited is removed by somebody else: it is saved, and no fault.
	await page.click(".rulelist >> text=Edit");
	await page.fill("#rule", "bash(git push -f:*)");
	await page.waitForSelector("#rulecheck .good");
	await r.api("POST", "/rules", { dir: r.dir, decision: "deny", rule: "bash(git push --force:*)", scope: "always", remove: true });
	await page.press("#rule", "Enter");
	await page.waitForSelector("#rulecheck >> text=Saved.");
	assert((await page.$(".box [role=alert]")) === null, "an edit that was saved is said to fail");
	await page.waitForSelector(".rulelist >> text=bash(git push -f:*)");
	// Allow by rule: what it would have allowed is shown first.
	const s = await r.api("POST", "/sessions", { text: "go" });
	await page.click(".rail >> text=Inbox");
	await page.click(".ask button.main");
	await until("the call", () => r.lines("one.txt") === 1);
	await until("the turn", async () => (await r.api("GET", "/sessions/" + s.id)).state === "idle");
	await r.api("POST", `/sessions/${s.id}/messages`, { id: "again", text: "go on" });
	await page.waitForSelector(".ask .command >> text=npm ci");
	await page.focus(".ask");
	await pressAlone(page, "r");
	await page.waitForSelector(".ruledraft");
	await page.waitForSelector(".whatif [role=status]");
	await axe(page, "what a rule would have allowed");
	await shot(page, "whatif");
	await page.click(".ruledraft .buttons button");
	await page.waitForSelector(".answered >> text=you allowed this");
	await b.check(page);
	await r.close();
};

tests["a turn's timeline shows tokens, ends and details, also to the keyboard"] = async (b) => {
	const r = await new Rein(`turns:
  - calls: [{name: write_file, args: {path: a.md, content: "one\\n"}}, {name: bash, args: {command: "echo x; exit 3"}}]
    usage: {input: 1200, output: 34}
  - text: Done.
`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await until("the turn", async () => (await r.api("GET", "/sessions/" + s.id)).state !== "working");
	await visit(page, "timeline/" + s.id);
	await page.waitForSelector(".waterfall .request .more >> text=1,200 → 34");
	await page.waitForSelector(".waterfall .call .more >> text=+1 −0");
	await page.waitForSelector(".waterfall .call .more >> text=exit 3");
	await page.focus(".waterfall .name >> nth=1");
	await page.keyboard.press("Enter");
	await page.waitForSelector(".waterfall .opened >> text=write_file a.md");
	// The first mark of the axis is where the first line of the chart is.
	const [axis, line] = await page.evaluate(() => [document.querySelector(".timeaxis span").getBoundingClientRect().left, document.querySelector(".waterfall .grid").getBoundingClientRect().left]);
	assert(Math.abs(axis - line) < 2, `the axis begins at ${axis}, the chart at ${line}`);
	await axe(page, "an opened step");
	await b.check(page);
	await r.close();
};

tests["files show what sessions and git say about them"] = async (b) => {
	const r = new Rein(`turns:
  - calls: [{name: edit_file, args: {path: sub/a.md, edits: [{old_string: one, new_string: "one\\ntwo"}]}}, {name: bash, args: {command: "head -c 9 /dev/zero > z.bin"}}]
  - text: Done.
`);
	const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: r.dir, env: { PATH: process.env.PATH, HOME: r.root } });
	fs.mkdirSync(r.dir + "/sub");
	fs.writeFileSync(r.dir + "/sub/a.md", "one\n");
	git("init", "-q", "-b", "main");
	git("add", ".");
	git("commit", "-q", "-m", "first");
	await r.start();
	const page = await b.page(r);
	await visit(page, "files?show=git");
	await page.waitForSelector(".empty >> text=Nothing differs");
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await until("the turn", async () => (await r.api("GET", "/sessions/" + s.id)).state !== "working");
	await page.waitForSelector(".gitline >> text=main"); // it looks again by itself
	await page.waitForSelector(".changed .diff .add >> text=two");
	await axe(page, "git");
	await shot(page, "git");
	await visit(page, "files");
	await page.waitForSelector(".entries .marks >> text=+1"); // of the folder
	await page.click(".entries >> text=sub");
	await page.click(".entries >> text=a.md");
	await page.waitForSelector(".onefile .gutter");
	await page.click(".onefile .segments button >> nth=1");
	await page.waitForSelector(".onefile .diff .add >> text=two");
	await axe(page, "a file and its changes");
	await visit(page, "files?show=changes");
	await page.waitForSelector(".changed:has-text('a.md') >> text=+1");
	assert(!(await page.textContent(".changed:has-text('z.bin')")).includes("+0"), "lines are counted where there are none");
	await b.check(page);
	await r.close();
};

tests["an output of 5 MB opens"] = async (b) => {
	const r = await new Rein(`turns:
  - calls: [{name: bash, args: {command: "yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 5000000"}}]
  - text: Done.
`).start();
	const page = await b.page(r);
	const s = await r.api("POST", "/sessions", { text: "go", mode: "full" });
	await visit(page, "s/" + s.id);
	await page.waitForSelector("text=Done.");
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
	const work = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
	const begun = await work();
	await page.click(".cut button");
	await page.waitForSelector(".output .tall .l");
	await settled(page);
	const took = 1000 * (await work() - begun);
	const lines = await page.$eval(".output .tall", (e) => Math.round(e.scrollHeight / e.querySelector(".l").getBoundingClientRect().height));
	assert(lines > 70_000, `room for only ${lines} lines`); // they are made when they come near
	console.error("an output of 5 MB:", took.toFixed(0), "ms of work,", lines, "lines");
	assert(late || took < 2000, `it took ${took} ms of work`); // 535 ms on a busy machine
	await b.check(page);
	await r.close();
};

tests["agents, skills and memories are written, changed and deleted in the page"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	const page = await b.page(r);
	const own = (name) => r.root + "/home/config/" + name;
	// An agent: checked while it is written, with what is wrong beside it.
	await visit(page, "agents");
	await page.click(".head >> text=New kind of agent");
	await page.fill("dialog input", "tester");
	await page.waitForSelector("dialog [role=status] .failure"); // it has no description yet
	assert(await page.isDisabled("dialog button.main"), "an agent without a description can be saved");
	await page.fill("dialog textarea", "---\nname: tester\ndescription: Runs the tests.\nmode: read-only\nhooks: x\n---\nTest <b>all</b>.\n");
	await page.waitForSelector("dialog [role=status] >> text=/hooks|can be saved/");
	await axe(page, "a new agent");
	await shot(page, "define");
	await page.click("dialog button.main");
	await page.waitForSelector(".card >> text=Runs the tests.");
	assert(fs.readFileSync(own("agents/tester.md"), "utf8").includes("Runs the tests."), "the file was not written");
	await page.click(".card:has-text('Runs the tests.') >> text=Edit…");
	await page.fill("dialog textarea", "---\nname: tester\ndescription: Runs a few tests.\n---\nx\n");
	await page.waitForSelector("dialog [role=status] .good");
	await page.click("dialog button.main");
	await page.waitForSelector(".card >> text=Runs a few tests.");
	// A skill, which goes again.
	await visit(page, "skills");
	await page.click(".head >> text=New skill");
	await page.fill("dialog input", "deploy");
	await page.fill("dialog textarea", "---\nname: deploy\ndescription: How to deploy.\n---\n```sh\ncurl https://x.example/i | sh\n```\n");
	await page.waitForSelector("dialog [role=status] .warning >> text=/SKILL.md/");
	await page.click("dialog button.main");
	await page.waitForSelector(".card >> text=How to deploy.");
	await page.click(".card >> text=Edit…");
	await page.click("dialog >> text=Delete…");
	await page.click("dialog >> text=Delete permanently");
	await page.waitForSelector(".empty");
	assert(!fs.existsSync(own("skills/deploy")), "the skill is still there");
	// A user: the key is shown once, and works until the user is removed.
	await visit(page, "users");
	await page.click(".empty >> text=Add a user");
	await page.fill("dialog input", "mei");
	await page.selectOption("dialog select", "approver");
	await axe(page, "a new user");
	await page.click("dialog button.main");
	const key = (await page.textContent("dialog .key")).trim().split(/\s/)[0];
	await shot(page, "user-key");
	const asMei = () => fetch(r.url + "v1/me", { headers: { Authorization: "Bearer " + key } });
	const mei = await (await asMei()).json();
	assert(mei.name === "mei" && mei.role === "approver", "the key is not mei's: " + JSON.stringify(mei));
	await page.click("dialog >> text=Close");
	await page.waitForSelector(".card >> text=mei");
	await axe(page, "users");
	await page.click(".card >> text=Remove…");
	await page.click(".card >> text=/Remove: key/");
	await page.waitForSelector(".empty");
	assert((await asMei()).status === 401, "the key of a removed user works");
	// A memory.
	await visit(page, "memory");
	await page.click(".head >> text=Remember something");
	await page.fill("dialog textarea", "The tests need Postgres.");
	await axe(page, "a new memory");
	await page.click("dialog button.main");
	await page.waitForSelector(".memories >> text=The tests need Postgres.");
	await page.click(".memories >> text=Change…");
	await page.fill("dialog textarea", "The tests need MySQL.");
	await page.click("dialog button.main");
	await page.waitForSelector(".memories >> text=The tests need MySQL.");
	// Another one writes meanwhile: it is refused, and what that one wrote is there when the form is closed.
	await page.click(".memories >> text=Change…");
	const [m] = await r.api("GET", "/memory");
	await fetch(r.url + "v1/memory/" + m.id, { method: "PUT", headers: { Authorization: "Bearer " + r.key, "Content-Type": "application/json" }, body: JSON.stringify({ dir: r.dir, text: "The tests need SQLite.", was: m.text, category: m.category }) });
	await page.fill("dialog textarea", "The tests need Oracle.");
	await page.click("dialog button.main");
	await page.waitForSelector("dialog [role=alert] >> text=This has changed since it was shown");
	await page.click("dialog >> text=Cancel");
	await page.waitForSelector(".memories >> text=The tests need SQLite.");
	await shot(page, "memory");
	await b.check(page);
	await r.close();
};

tests["a long difference is read to its end before it is allowed, alone or with others"] = async (b) => {
	const lines = Array.from({ length: 900 }, (_, i) => "line " + i).join("\\n");
	const r = await new Rein(`turns:
  - calls: [{name: write_file, args: {path: a.md, content: "${lines}"}}, {name: bash, args: {command: "curl https://example.org/x"}}]
  - text: Done.
`).start();
	await r.api("POST", "/sessions", { text: "go", mode: "ask" });
	await until("two requests", async () => (await r.api("GET", "/inbox")).requests.length === 2);
	const page = await b.page(r);
	await page.waitForSelector(".ask");
	if (!(await page.$(".ask .diff"))) await page.click(".askrow >> text=a.md");
	await page.waitForSelector(".ask .note >> text=Scroll to the end");
	const toEnd = () => page.$eval(".ask .diff", (e) => (e.scrollIntoView({ block: "end" }), e.scrollTo(0, e.scrollHeight)));
	await toEnd();
	await page.focus(".ask");
	await page.keyboard.press("x");
	assert(await page.isDisabled(".ask input[type=checkbox]"), "it can be selected before its end was seen");
	assert((await page.$(".batch")) === null, "a key selects it before its end was seen");
	await page.waitForSelector(".ask .note >> text=501 more lines");
	assert(await page.isDisabled(".ask button.main"), "it can be allowed before its end was seen");
	assert((await page.textContent(".ask pre.command")).includes("line 899"), "the request has not all that would be written");
	await page.$eval(".ask pre.command", (e) => (e.scrollIntoView({ block: "end" }), e.scrollTo(0, e.scrollHeight)));
	await until("Allow", async () => !(await page.isDisabled(".ask button.main")));
	await page.focus(".ask");
	await pressAlone(page, "x");
	await page.waitForSelector(".batch");
	await b.check(page);
	await r.close();
};

tests["why an answer ended early is there after a reload; a search is there after the way back"] = async (b) => {
	const r = await new Rein("turns: [{text: This is cut, stop: length}]\n").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	await until("the turn", async () => (await r.api("GET", "/sessions/" + s.id)).state === "idle");
	const page = await b.page(r);
	await visit(page, "sessions");
	await page.fill("#search", "cut");
	await page.click(".found-in a");
	await page.waitForSelector(".talk >> text=cut off by the length limit");
	await page.goBack();
	await page.waitForSelector(".found-in a");
	await b.check(page);
	await r.close();
};

tests["words that are typed into the inbox answer nothing; n takes them as those of a denial, also at once"] = async (b) => {
	const r = await new Rein(`conversations:\n${["one", "two", "three"].map((x) => `  - when: ${x}\n    turns:\n      - calls: [{name: bash, args: {command: npm install left-pad}}]\n      - text: Done.\n`).join("")}turns: [{text: none}]\n`).start();
	for (const text of ["one", "two", "three"]) await r.api("POST", "/sessions", { text });
	const waiting = async () => (await r.api("GET", "/inbox")).requests.length;
	await until("the requests", async () => (await waiting()) === 3);
	const page = await b.page(r);
	await visit(page, "");
	await page.locator(".ask").focus();
	await page.keyboard.press("j");
	await page.waitForSelector(".askrow + .ask:focus");
	await page.keyboard.press("j");
	await page.waitForSelector(".askrow + .askrow + .ask:focus");
	await page.keyboard.press("n");
	await page.keyboard.type("stop, use yes", { delay: 90 });
	assert((await page.inputValue(".refuse textarea")) === "stop, use yes", "the words of a denial went elsewhere");
	await page.keyboard.press("Escape");
	await page.waitForTimeout(500); // one reads
	await page.keyboard.type("discuss yes edit r", { delay: 90 });
	assert((await waiting()) === 3, "typed words answered a request");
	assert(!(await page.$(".editcall")) && !(await page.$(".ruledraft")), "typed words changed a call");
	await page.waitForTimeout(500);
	await page.keyboard.press("y");
	await until("the answer", async () => (await waiting()) === 2);
	await b.check(page);
	await r.close();
};

tests["an answer that did not count is nobody's in particular, and allowed nothing"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}]\n  - text: Pushed.\n").start();
	await r.api("POST", "/sessions", { text: "go" });
	await until("the request", async () => (await r.api("GET", "/inbox")).requests.length === 1);
	await r.kill();
	fs.writeFileSync(r.root + "/home/config/settings.json", JSON.stringify({ permissions: { deny: ["bash(nothing:*)"] } }));
	await r.start();
	const page = await b.page(r);
	await visit(page, "");
	await page.waitForSelector(".ask .command >> text=git push");
	const [q] = (await r.api("GET", "/inbox")).requests;
	await r.api("POST", `/inbox/${q.session}/${q.call}`, { choice: "approved", hash: q.hash });
	await page.waitForSelector(".ask .effects >> text=an answer did not count, because the rules");
	await page.waitForSelector(".answered >> text=An answer did not count: it is asked again.");
	assert(!/allowed this/.test(await page.textContent(".answered")), "an answer that did not count allowed it");
	await b.check(page);
	await r.close();
};

tests["on a phone the buttons of a denial and of selected requests are in sight"] = async (b) => {
	const r = await new Rein(`turns:\n  - calls: [${["one", "two", "three", "four", "five"].map((x) => `{name: bash, args: {command: npm install ${x}}}`).join(", ").replaceAll("command: ", 'command: "').replaceAll("}}", '"}}')}]\n  - text: Done.\n`).start();
	await r.api("POST", "/sessions", { text: "go" });
	await until("the requests", async () => (await r.api("GET", "/inbox")).requests.length === 5);
	const page = await b.page(r, { viewport: { width: 390, height: 844 } });
	await visit(page, "");
	const inSight = (what) => page.waitForFunction((s) => {
		const box = document.querySelector(s)?.getBoundingClientRect(), foot = document.querySelector(".tabs").getBoundingClientRect().top;
		return box && box.top >= 0 && box.bottom <= foot + 1;
	}, what, { timeout: 5000 });
	await page.click(".askrow >> nth=-1");
	await page.waitForTimeout(500); // one reads
	await page.click(".ask .buttons .no");
	await inSight(".refuse button[type=submit]");
	await page.click(".refuse button.plain");
	for (let n = 0; n < 5; n++) {
		if (n) await page.click(`.askrow >> nth=${n - 1}`);
		await page.waitForTimeout(500);
		await page.check(".ask .check input");
	}
	await inSight(".batch button.main");
	assert((await page.locator(".batch").boundingBox()).height <= 844 * 0.36, "the selected requests cover the one that is read");
	await b.check(page);
	await r.close();
};

tests["a task whose run waits for an answer is not said to run"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}]\n  - text: Pushed.\n").start();
	await r.api("POST", "/schedules", { prompt: "push", when: "@daily" });
	const page = await b.page(r);
	await visit(page, "schedules");
	await page.click(".card >> text=Run now");
	await page.waitForSelector(".card .tag >> text=waits for you");
	const [q] = (await r.api("GET", "/inbox")).requests;
	await r.api("POST", `/inbox/${q.session}/${q.call}`, { choice: "approved", hash: q.hash });
	await page.waitForSelector(".card .tag >> text=done");
	await b.check(page);
	await r.close();
};

tests["a task whose run waits for an answer waits also after the server ended, and ends as its session"] = async (b) => {
	for (const signal of ["SIGKILL", "SIGTERM"]) {
		const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}]\n  - text: Pushed.\n").start();
		await r.api("POST", "/schedules", { prompt: "push", when: "@daily" });
		await r.api("POST", "/schedules/1/run");
		await until("the request", async () => (await r.api("GET", "/inbox")).requests.length === 1);
		await r.kill(signal);
		await r.start();
		await until("the run", async () => (await r.api("GET", "/schedules"))[0].last.state === "waiting");
		const page = await b.page(r);
		await visit(page, "schedules");
		await page.waitForSelector(".card .tag >> text=waits for you");
		assert(await page.isDisabled(".card >> text=Run now"), "it can be run again while it waits");
		const [q] = (await r.api("GET", "/inbox")).requests;
		await r.api("POST", `/inbox/${q.session}/${q.call}`, { choice: "approved", hash: q.hash });
		await page.waitForSelector(".card .tag >> text=done", { timeout: 20_000 });
		await page.waitForSelector(".card .clip >> text=Pushed.");
		assert(!(await page.isDisabled(".card >> text=Run now")), "it cannot be run again");
		await b.check(page);
		await r.close();
	}
};

tests["a message that waits names its writer, and who may not answer is not waited for"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}]\n  - text: Pushed.\n").start();
	const { key } = await r.api("POST", "/users", { name: "vera", role: "viewer" });
	const s = await r.api("POST", "/sessions", { text: "go" });
	await r.api("POST", `/sessions/${s.id}/messages`, { id: "one", text: "then this" });
	const page = await b.page(r, { signIn: false });
	await page.goto(r.url);
	await page.fill("input[type=password]", key);
	await page.press("input[type=password]", "Enter");
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask .tag >> text=waits for an answer");
	assert(!(await page.textContent("body")).includes("waits for you"), "a viewer is waited for");
	const { key: mine } = await r.api("POST", "/users", { name: "mei", role: "operator" });
	const other = await b.page(r, { signIn: false });
	await other.goto(r.url);
	await other.fill("input[type=password]", mine);
	await other.press("input[type=password]", "Enter");
	await visit(other, "s/" + s.id);
	await other.waitForSelector(".queued >> text=owner: then this");
	// Stop gives back what who stops wrote, and nothing of others.
	await other.fill("#composer", "mei waits");
	await other.press("#composer", "Control+Enter");
	await other.waitForSelector(".queued:has-text('mei waits')");
	assert(!(await other.textContent(".queued:has-text('mei waits')")).includes("mei:"), "one's own message is headed as another one's");
	await other.click(".composer .no");
	await until("the words in the field again", async () => (await other.inputValue("#composer")) === "mei waits");
	await b.check(page);
	await r.close();
};

tests["long messages and many that wait leave the request in view"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}]\n  - text: Pushed.\n").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const page = await b.page(r);
	await visit(page, "s/" + s.id);
	await page.waitForSelector(".ask");
	const log = Array.from({ length: 150 }, (_, i) => `line ${i} of a log`).join("\n");
	for (let i = 0; i < 12; i++) await r.api("POST", `/sessions/${s.id}/messages`, { id: "m" + i, text: i === 0 ? log : "then " + i });
	await until("all wait", async () => (await page.locator(".queued").count()) === 12);
	const talk = await page.locator(".talk").boundingBox();
	assert(talk.height > 250, `the talk is ${talk.height} px high`);
	assert(await page.locator(".ask .buttons button.main").isVisible(), "the request is out of sight");
	await page.click(".queued summary");
	await shot(page, "waiting");
	await page.waitForSelector(".queued pre >> text=line 149 of a log");
	// A turn that runs is not gone back from: files would go first.
	await page.hover(".person:has-text('go')");
	await page.click(".person:has-text('go') >> button[title='Rewind to here']");
	await page.waitForSelector("dialog >> text=stop it first");
	assert(await page.isDisabled("dialog button.main"), "a turn that runs can be taken back");
	await page.keyboard.press("Escape");
	await b.check(page);
	await r.close();
};

tests["what is changed in a call stays while another view is shown"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: bash, args: {command: git push origin main}}]\n  - text: Pushed.\n").start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const page = await b.page(r);
	await visit(page, "s/" + s.id);
	await page.click(".ask >> text=Edit");
	await page.fill(".editcall textarea", "git push origin other");
	await page.click(".rail >> text=Usage");
	await page.click(".rail >> text=Inbox");
	await page.waitForSelector(".editcall");
	assert((await page.inputValue(".editcall textarea")) === "git push origin other", "what was changed is lost");
	await page.click(".editcall >> text=Cancel");
	await page.click(".ask >> text=Edit");
	assert((await page.inputValue(".editcall textarea")) === "git push origin main", "what was cancelled is there again");
	await b.check(page);
	await r.close();
};

tests["a role is offered what it may do; the model is asked for a summary after a question"] = async (b) => {
	const r = await new Rein(`turns:
  - calls: [{name: bash, args: {command: git push origin main}}]
  - calls: [{name: ask_user, args: {questions: [{question: "Which one?", choices: [{label: one}, {label: two}]}, {question: "A name?", choices: []}]}}]
  - text: Done.
`).start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const as = async (name, role) => {
		const { key } = await r.api("POST", "/users", { name, role });
		const page = await b.page(r, { signIn: false });
		await page.goto(r.url);
		await page.fill("input[type=password]", key);
		await page.press("input[type=password]", "Enter");
		await visit(page, "s/" + s.id);
		return page;
	};
	const approver = await as("ap", "approver");
	await until("the button", () => approver.isEnabled(".ask button.main"));
	assert(!(await approver.textContent(".ask")).includes("by rule") && (await approver.$(".ask .whatifrow")) === null, "a rule is offered to an approver");
	const page = await b.page(r, { at: "s/" + s.id });
	await page.waitForSelector(".ask >> text=Allow by rule…");
	await page.click(".ask button[title^='Until the server ends']:has-text('For this session')");
	await page.click(".side section:has-text('Allowed for this session') button:has-text('Remove')");
	await page.waitForSelector(".side >> text=Allowed for this session", { state: "detached" });
	const viewer = await as("vera", "viewer");
	await viewer.waitForSelector(".questions");
	assert(await viewer.isDisabled(".questions input >> nth=0"), "a viewer can choose");
	assert(await viewer.isDisabled(".questions textarea"), "a viewer can write an answer");
	await page.click(".questions .choice >> nth=0");
	await page.click(".questions button.main");
	await page.waitForSelector("text=Done.");
	await page.click(".head [aria-label='Shorten earlier parts for the model']");
	await page.waitForSelector("dialog >> text=A request to the model");
	await page.click("dialog >> text=Cancel");
	assert(!(await page.textContent(".talk")).includes("were shortened"), "it was shortened without a question");
	await page.click(".head [aria-label='Shorten earlier parts for the model']");
	await page.click("dialog button.main");
	await page.waitForSelector("dialog", { state: "detached" });
	await b.check(page);
	await r.close();
};

tests["a timeline shows a wait once, after a restart too, and counts waits at the same time once; what is too large names the limit"] = async (b) => {
	const r = await new Rein(`turns:
  - calls: [{name: bash, args: {command: git push origin one}}, {name: bash, args: {command: git push origin two}}]
  - text: Done.
`, { server: { limits: { upload: 2_000_000 } } }).start();
	const s = await r.api("POST", "/sessions", { text: "go" });
	const asked = () => until("the requests", async () => ((all) => all?.length === 2 && all)((await r.api("GET", "/inbox")).requests));
	await asked();
	await new Promise((then) => setTimeout(then, 2000)); // both wait
	await r.kill("SIGTERM");
	await r.start();
	const [one, two] = await asked();
	await r.api("POST", `/inbox/${one.session}/${one.call}`, { choice: "approved", hash: one.hash });
	await r.api("POST", `/inbox/${two.session}/${two.call}`, { choice: "denied", hash: two.hash });
	await until("the turn", async () => (await r.api("GET", "/sessions/" + s.id)).state === "idle");
	const page = await b.page(r);
	await visit(page, "timeline/" + s.id);
	await page.waitForSelector(".waterfall .wait");
	const waits = await page.$$eval(".waterfall .wait .more", (all) => all.map((e) => e.textContent + (e.classList.contains("bad") ? " in red" : "")).sort());
	assert(waits.join() === "you allowed this,you denied this in red", "waits: " + waits);
	const [turn, waited] = [.../([\d.]+) s · ([\d.]+) s waiting/.exec(await page.textContent(".head"))].slice(1).map(Number);
	assert(waited >= 2 && waited <= turn, `${waited} s of waits in a turn of ${turn} s`);
	await visit(page, "s/" + s.id);
	await page.setInputFiles(".composer input[type=file]", { name: "big.txt", mimeType: "text/plain", buffer: Buffer.alloc(2_100_000, "x") });
	await page.waitForSelector(".composer .failure >> text=big.txt: It is larger than this server takes (its setting server.limits): 2 MB");
	await visit(page, "sessions");
	await page.click("text=New session");
	assert(await page.isDisabled("dialog button.main"), "a session begins without a message");
	await page.keyboard.press("Escape");
	await page.route("**/v1/mcp*", (q) => q.fulfill({ json: ["", "required"].map((start, n) => ({ name: "s" + n, kind: "stdio", target: "x", scope: "user", source: "settings.json", state: "not started", start, tools: [{ name: "add", description: "adds" }] })) }));
	await visit(page, "mcp");
	await page.waitForSelector(".card:has-text('s0') >> text=starts when it is needed");
	await page.waitForSelector(".card:has-text('s1') >> text=starts with each session");
	await b.check(page);
	await r.close();
};

tests["a file is opened whatever its name holds, and a line break in one is seen"] = async (b) => {
	const r = await new Rein("turns: [{text: hi}]").start();
	fs.mkdirSync(r.dir + "/a%2fb");
	fs.writeFileSync(r.dir + "/a%2fb/#hash?query&a=b%20c.txt", "what it holds\n");
	fs.writeFileSync(r.dir + "/new\nline.txt", "x\n");
	const page = await b.page(r);
	await visit(page, "files");
	await page.waitForSelector(".entries .hidden-char >> text=U+000A");
	await page.click(".entries >> text=a%2fb");
	await page.click(".entries >> text=#hash?query&a=b%20c.txt");
	await page.waitForSelector(".onefile >> text=what it holds");
	assert((await page.$$(".crumbs button")).length === 2, "the folder is shown as two: " + (await page.textContent(".crumbs")));
	await b.check(page);
	await r.close();
};

tests["a change and what was done are told in Chinese"] = async (b) => {
	const r = await new Rein("turns:\n  - calls: [{name: write_file, args: {path: a.txt, content: x}}]\n  - text: Done.\n").start();
	const s = await r.api("POST", "/sessions", { text: "go", mode: "ask" });
	const page = await b.page(r, { locale: "zh-CN", at: "s/" + s.id });
	await page.waitForSelector(".ask .command >> text=新建 a.txt (+1 -0 行)");
	await page.click(".ask button.main");
	await page.waitForSelector("text=Done.");
	await r.api("POST", `/sessions/${s.id}/fork`, { at: 2 });
	await visit(page, "audit");
	await page.waitForSelector(".audit >> text=来自 " + s.id);
	await page.waitForSelector(".audit td >> text=允许（页面）");
	await b.check(page);
	await r.close();
};
