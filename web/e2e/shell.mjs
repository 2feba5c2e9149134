// Tests of what the browser keeps and does for the page: the shell without a server, the app, notifications, a new version.
import { assert, axe, settled, until } from "./rein.mjs";
import { Rein } from "./rein.mjs";

export const tests = {};
const push = "turns:\n  - calls: [{name: bash, args: {command: \"git push origin main\"}}]\n  - text: Pushed.\n";

// kept waits for the shell, and gives the addresses that the browser keeps.
const kept = (page) => page.evaluate(async () => {
	await navigator.serviceWorker.ready;
	for (const name of await caches.keys()) return (await (await caches.open(name)).keys()).map((r) => new URL(r.url).pathname);
});

tests["without its server the page opens, says so, and goes on by itself"] = async (b) => {
	const r = await new Rein(push).start();
	const page = await b.page(r, { viewport: { width: 360, height: 780 } });
	const files = await until("the shell", () => kept(page));
	assert(files.includes("/") && files.some((f) => /index-.*\.js/.test(f)) && files.some((f) => /Rules-.*\.js/.test(f)), "the shell is not kept: " + files);
	await page.goto(r.url + "rules");
	await page.waitForSelector(".head h1 >> text=Rules");
	await settled(page);
	assert(!(await kept(page)).some((f) => f.includes("/v1/")), "answers of the server are kept");
	await r.kill();
	await page.goto(r.url + "rules");
	await page.waitForSelector("text=rein does not answer.");
	await page.waitForSelector(".tabs >> text=Inbox");
	await axe(page, "the page without its server");
	assert((await page.$("input[type=password]")) === null, "it asks for a key where nobody answers");
	await page.setViewportSize({ width: 1280, height: 820 });
	if (process.env.SHOTS) await page.screenshot({ path: process.env.SHOTS + "/away.png" });
	await r.start();
	await page.waitForSelector(".head h1 >> text=Rules", { timeout: 30_000 }); // the view that was asked for
	await b.check(page);
	await r.close();
};

tests["the page can be installed"] = async (b) => {
	const r = await new Rein(push).start();
	const page = await b.page(r, {});
	const cdp = await page.context().newCDPSession(page);
	await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
	const { errors, data } = await cdp.send("Page.getAppManifest");
	assert(errors.length === 0 && JSON.parse(data).display === "standalone", "the manifest has errors: " + JSON.stringify(errors));
	const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
	const wrong = installabilityErrors.filter((e) => e.errorId !== "in-incognito"); // each test has a context of its own
	assert(wrong.length === 0, "it cannot be installed: " + JSON.stringify(wrong));
	for (const icon of JSON.parse(data).icons) {
		const got = await page.evaluate(async (src) => (await fetch(src)).headers.get("content-type"), icon.src);
		assert(got === icon.type, `${icon.src} is ${got}`);
	}
	// Where the browser offers it, the settings do.
	await page.goto(r.url + "settings");
	await page.waitForSelector(".setting");
	await page.evaluate(() => dispatchEvent(Object.assign(new Event("beforeinstallprompt"), { prompt: () => (window.prompted = true) })));
	await page.click(".setting button >> text=Install");
	assert(await page.evaluate(() => window.prompted), "the button does not ask the browser");
	await b.check(page);
	await r.close();
};

tests["notifications are asked for by a click, and come while the page is hidden"] = async (b) => {
	const r = await new Rein(push).start();
	const page = await b.page(r, { permissions: ["notifications"], signIn: false });
	await page.context().addInitScript(() => {
		window.asked = 0;
		let permission = "default"; // as of somebody who was never asked
		Object.defineProperty(Notification, "permission", { get: () => permission });
		Notification.requestPermission = async () => (window.asked++, (permission = "granted"));
		Object.defineProperty(document, "hidden", { get: () => !!window.elsewhere });
	});
	await page.context().addCookies([await r.cookie()]);
	await page.goto(r.url);
	await page.waitForSelector(".empty");
	await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
	await r.api("POST", "/sessions", { text: "one" });
	await page.waitForSelector(".offerrow");
	await axe(page, "the offer of notifications");
	assert((await page.evaluate(() => window.asked)) === 0, "the permission was asked for without a click");
	await page.click(".offerrow >> text=Turn on");
	await page.waitForSelector(".offerrow", { state: "detached" });
	assert((await page.evaluate(() => window.asked)) === 1, "the click asked for no permission");
	const shown = () => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((n) => n.title + "|" + n.body));
	assert((await shown()).length === 0, "a notification for a page that is looked at");
	await page.evaluate(() => (window.elsewhere = true));
	await r.api("POST", "/sessions", { text: "two words" });
	const [first] = await until("a notification", async () => (await shown()).length === 1 && shown());
	assert(first.startsWith("Run a command?|two words"), "it says " + first);
	await b.check(page);
	await r.close();
};

tests["a server of another version offers its page"] = async (b) => {
	const r = await new Rein(push).start();
	const page = await b.page(r, {});
	await page.waitForSelector(".empty"); // it has its stream: the next one says another version
	await page.evaluate(() => {
		const Real = EventSource;
		window.EventSource = function (url) {
			const s = new Real(url);
			const listen = s.addEventListener.bind(s);
			s.addEventListener = (name, f) => listen(name, (m) => f(name === "hello" ? { data: JSON.stringify({ ...JSON.parse(m.data), version: "9.9" }) } : m));
			return s;
		};
	});
	await r.kill();
	await r.start();
	await page.waitForSelector(".bar >> text=The server runs rein 9.9 now.", { timeout: 30_000 });
	await page.evaluate(() => (window.before = true));
	await page.click(".bar button");
	await until("the new page", () => page.evaluate(() => !window.before && document.querySelector(".head") !== null).catch(() => false));
	await b.check(page);
	await r.close();
};
