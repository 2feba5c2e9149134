// The service worker of the page. It keeps the shell, so that the page opens without its server: the page itself, its scripts,
// styles and icons. It keeps nothing of what the server knows: requests to the interface never come from here.
// The build puts the version and the list of files in: see vite.config.js.
const version = "13f4661baaf4", files = ["assets/Agents-BhYe6R8-.js","assets/Audit-Bn43hgh7.js","assets/Define-B-f2ePr2.js","assets/Effective-D18nj3XO.js","assets/Files-B-BKQIKA.js","assets/Jobs-6ukfJB1x.js","assets/Memory-EDTFSHBK.js","assets/Rules-Vyechw-E.js","assets/Schedules-Vou-G_jf.js","assets/Servers-CEgmU53y.js","assets/Settings-sLUOhDOr.js","assets/Skills-XTLO8hfi.js","assets/Timeline-D19wtNmD.js","assets/Trust-DekQYd8A.js","assets/Usage-DtIC9rIA.js","assets/Users-BRrDaVHQ.js","assets/highlight.worker-Dhiqlzoe.js","assets/index-BwmNfGR4.js","assets/style-CTBlNkV_.css","icon-192.png","icon-512.png","icon-maskable-512.png","icon.svg","manifest.webmanifest","theme.js"];
const scope = new URL("./", self.location.href).pathname;
const name = `rein ${scope} ${version}`;

self.addEventListener("install", (e) => e.waitUntil(caches.open(name).then((kept) => kept.addAll(["./", ...files]))));

// Older versions are kept until the last page that needs them is closed.
self.addEventListener("activate", (e) => e.waitUntil((async () => {
	for (const other of await caches.keys()) if (other.startsWith(`rein ${scope} `) && other !== name) await caches.delete(other);
	await self.clients.claim();
})()));

self.addEventListener("fetch", (e) => {
	const url = new URL(e.request.url);
	if (e.request.method !== "GET" || url.origin !== self.location.origin || !url.pathname.startsWith(scope)) return;
	const path = url.pathname.slice(scope.length);
	if (path.startsWith("v1/") || path === "sw.js") return;
	if (e.request.mode === "navigate") e.respondWith(orKept(e.request, "./"));
	else if (path.startsWith("assets/")) e.respondWith(kept(path).then((r) => r ?? fetch(e.request))); // the name has a hash of the content
	else if (files.includes(path)) e.respondWith(orKept(e.request, path));
});

async function kept(path) {
	return (await caches.open(name)).match(path);
}

// orKept asks the server and, where it does not answer, gives what is kept.
async function orKept(request, path) {
	try {
		return await fetch(request);
	} catch (e) {
		const r = await kept(path);
		if (!r) throw e;
		return r;
	}
}

// A click on a notification shows a page that is open, or opens one.
self.addEventListener("notificationclick", (e) => {
	e.notification.close();
	const to = e.notification.data;
	e.waitUntil((async () => {
		const [page] = await self.clients.matchAll({ type: "window" });
		if (!page) return self.clients.openWindow(scope + to.slice(1));
		await page.focus();
		page.postMessage({ go: to });
	})());
});
