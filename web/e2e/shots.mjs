// Takes the pictures of docs/images/web with real sessions of a scripted model: npm run pictures, in web/, with REIN_BINARY and CHROMIUM
// set as browser_test.go sets them. With a folder as argument: every view, wide and narrow, light and dark,
// English and Chinese, to look at; names of views after it: only those.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Browser, Rein, settled, until, visit } from "./rein.mjs";

const retry = (n) => `package retry

import "context"

// Do calls f until it succeeds, ${n} times at most.
func Do(ctx context.Context, f func(context.Context) error) error {
	var err error
	for i := 0; i < ${n}; i++ {
		if err = f(ctx); err == nil {
			return nil
		}
	}
	return err
}
`;
const script = `
context: 40000
turns:
  - think: The number of retries is a constant in Do. A setting with a default is the smallest change.
    text: |
      I look at **how retries work** now, then make the number a setting.

      | where | what |
      |---|---|
      | \`internal/retry/retry.go\` | the loop |
      | \`internal/config/config.go\` | the setting |
    calls: [{name: todo, args: {items: [{content: read the retry loop, status: completed}, {content: setting with a default, status: in_progress}, {content: "tests, then push", status: pending}]}}, {name: read_file, args: {path: internal/retry/retry.go}}, {name: grep, args: {pattern: retries}}]
    usage: {input: 11208, output: 602, cached: 8992, cost: 0.08}
  - text: ""
    calls: [{name: edit_file, args: {path: internal/retry/retry.go, edits: [{old_string: "	for i := 0; i < 5; i++ {", new_string: "	max := cmp.Or(config.Retries(), 5)\\n	for range max {"}]}}, {name: write_file, args: {path: internal/config/config.go, content: "package config\\n\\n// Retries gives how often a request is repeated; 0 is the default.\\nfunc Retries() int { return retries }\\n\\nvar retries int\\n"}}, {name: bash, args: {command: "printf 'ok  \\\\texample.org/app/internal/retry\\\\t0.412s\\\\nok  \\\\texample.org/app/internal/config\\\\t0.088s\\\\n'"}}, {name: agent, args: {task: the errand, description: write the paragraph for the manual, background: true}}]
    usage: {input: 14877, output: 877, cached: 11990, cost: 0.13}
  - calls: [{name: bash, args: {command: "cd internal && go test ./... && git push origin HEAD:release/1.4"}}]
    usage: {input: 16100, output: 98, cached: 14870, cost: 0.04}
  - text: Pushed.
conversations:
  - when: the errand
    turns: [{text: "The paragraph is in docs/retries.md.", calls: [{name: write_file, args: {path: docs/retries.md, content: "# Retries\\n\\nSet retries to repeat a request.\\n"}}]}, {text: Done.}]
  - when: links
    turns: [{calls: [{name: bash, args: {command: "rm -r build/tmp && git push --force origin main"}}]}, {text: Done.}]
  - when: flaky
    turns: [{text: I run it three times., calls: [{name: bash, args: {command: "for i in 1 2 3; do echo run $i; done; exit 1"}}], usage: {input: 3200, output: 120, cost: 0.01}}, {text: "The test depends on the clock: it fails when a minute ends.", usage: {input: 3400, output: 40, cost: 0.01}}]
  - when: remember
    turns: [{calls: [{name: memory_store, args: {text: "Releases are made from the branch release/1.4; main is never tagged.", tags: [release]}}, {name: memory_store, args: {text: "Mei wants table tests, each row named after its rule.", category: preference, scope: user}}]}, {text: I remember both.}]
  - when: upgrade
    turns: [{error: {status: 400, text: the request was refused by the provider}}]
  - when: server
    turns: [{calls: [{name: bash, args: {command: "echo listening on 127.0.0.1:5173; sleep 600", background: true}}], usage: {input: 2100, output: 60, cost: 0.01}}, {text: The development server runs., usage: {input: 2200, output: 12, cost: 0.01}}]
`;

async function filled() {
	const r = new Rein(script);
	const put = (name, text) => (fs.mkdirSync(path.dirname(path.join(r.dir, name)), { recursive: true }), fs.writeFileSync(path.join(r.dir, name), text));
	put("internal/retry/retry.go", retry(5));
	put("README.md", "# app\n\nAn example.\n");
	put("go.mod", "module example.org/app\n");
	put("AGENTS.md", "Write tests first.\n");
	put(".rein/skills/release/SKILL.md", "---\nname: release\ndescription: How a release is made\n---\nTag, then push.\n");
	const git = (...args) => execFileSync("git", ["-c", "user.name=Mei", "-c", "user.email=mei@example.org", ...args], { cwd: r.dir, env: { PATH: process.env.PATH, HOME: r.root } });
	git("init", "-q", "-b", "main");
	git("add", ".");
	git("commit", "-q", "-m", "first");
	const config = path.join(r.root, "home", "config");
	const mcpServers = { issues: { command: process.env.REIN_BINARY, args: ["mcp", "serve"] }, chat: { type: "http", url: "https://mcp.example.org/mcp" } };
	fs.writeFileSync(path.join(config, "settings.json"), JSON.stringify({ mcpServers, permissions: { allow: ["bash(go test:*)", "bash(ls:*)"], ask: ["bash(git push:*)"], deny: ["bash(rm -rf /:*)"] } }));
	await r.start();
	const skill = (await r.api("GET", "/trust"))[0].items.find((i) => i.kind === "skill");
	await r.api("POST", "/trust", { dir: r.dir, trust: true, items: [{ kind: skill.kind, path: skill.path, sum: skill.sum }] });
	await r.api("POST", "/mcp/issues/try");
	const send = (text, mode = "auto") => r.api("POST", "/sessions", { text, mode });
	const done = (s) => until("the turn of " + s.id, async () => (await r.api("GET", "/sessions/" + s.id)).state !== "working", 60_000);
	for (const [text, mode] of [["upgrade tls"], ["remember how releases are made", "full"], ["flaky test in cron: why does it fail?", "full"], ["start the development server", "full"], ["check the links of the manual"]]) await done(await send(text, mode));
	await r.api("POST", "/schedules", { when: "0 2 * * *", prompt: "Look for tests that fail now and then, and name them.", name: "nightly" });
	const s = await send("Make the number of retries a setting, with the default that it has now.");
	await done(s);
	await r.api("POST", `/sessions/${s.id}`, { name: "build-fix" });
	return { r, id: s.id };
}

async function picture(page, name) {
	await settled(page);
	await page.waitForTimeout(400); // colours come from a worker
	if (name.endsWith(".png")) return page.screenshot({ path: name });
	const cdp = await page.context().newCDPSession(page);
	const { data } = await cdp.send("Page.captureScreenshot", { format: "webp", quality: 72 });
	fs.writeFileSync(name, Buffer.from(data, "base64"));
}

const { r, id } = await filled();
const b = await new Browser().open();
const views = { inbox: "", session: "s/" + id, timeline: "timeline/" + id, sessions: "sessions", usage: "usage", files: "files?path=internal%2Fretry&file=internal%2Fretry%2Fretry.go", changes: "files?show=changes", git: "files?show=git", undo: "files?show=undo&session=" + id, jobs: "jobs", rules: "rules", schedules: "schedules", agents: "agents", skills: "skills", mcp: "mcp", memory: "memory", trust: "trust", audit: "audit", settings: "settings" };
const all = process.argv[2];
if (all) {
	const page = await b.page(r, {});
	const only = process.argv.slice(3);
	for (const [width, height, colorScheme, language] of [[1440, 900, "light", "en"], [1440, 900, "dark", "zh-CN"], [360, 780, "dark", "zh-CN"], [360, 780, "light", "en"]]) {
		await page.setViewportSize({ width, height });
		await page.emulateMedia({ colorScheme });
		await page.evaluate((language) => localStorage.setItem("rein.look", JSON.stringify({ language })), language);
		await page.reload();
		for (const [name, view] of Object.entries(views)) {
			if (only.length && !only.includes(name)) continue;
			await visit(page, view);
			await picture(page, path.join(all, `${name}-${width}-${colorScheme}-${language.slice(0, 2)}.png`));
		}
	}
} else {
	const to = new URL("../../docs/images/web/", import.meta.url).pathname;
	fs.mkdirSync(to, { recursive: true });
	const take = async (name, view, options) => {
		const page = await b.page(r, { viewport: { width: 1280, height: 820 }, ...options });
		await visit(page, views[view]);
		await picture(page, path.join(to, name + ".webp"));
		await page.context().close();
	};
	for (const view of Object.keys(views)) await take(view, view, {});
	await take("timeline-dark", "timeline", { colorScheme: "dark" });
	await take("inbox-phone", "inbox", { viewport: { width: 360, height: 780 } });
	await take("session-phone-zh", "session", { colorScheme: "dark", locale: "zh-CN", viewport: { width: 360, height: 780 } });
}
await b.close();
await r.close();
process.exit(0);
