import { createHash } from "node:crypto";
import fs from "node:fs";
import { defineConfig } from "vite";
import react from "@vitejs/plugin-react";

// shell writes the service worker with the list of the files that it keeps. Its version changes with any of them.
const shell = {
	name: "shell",
	apply: "build",
	enforce: "post",
	generateBundle(_, bundle) {
		const open = fs.readdirSync("public").sort();
		const version = createHash("sha256").update(bundle["index.html"].source);
		for (const f of open) version.update(fs.readFileSync("public/" + f));
		const files = [...Object.keys(bundle).filter((f) => f.startsWith("assets/")).sort(), ...open];
		version.update(files.join());
		const source = fs.readFileSync("src/sw.js", "utf8").replace("VERSION", version.digest("hex").slice(0, 12)).replace("FILES", JSON.stringify(files));
		this.emitFile({ type: "asset", fileName: "sw.js", source });
	},
};

// worker writes the licences of what only the worker is made of: build.license does not see it.
const worker = {
	name: "worker-licenses",
	apply: "build",
	generateBundle() {
		const texts = ["devlop", "highlight.js", "lowlight"].map((name) => {
			const dir = "node_modules/" + name + "/", file = fs.readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
			return `## ${name} - ${JSON.parse(fs.readFileSync(dir + "package.json", "utf8")).version}\n\n${fs.readFileSync(dir + file, "utf8").trim()}\n`;
		});
		this.emitFile({ type: "asset", fileName: "licenses-worker.md", source: texts.join("\n") });
	},
};

// The page has no inline code and injects no style: see the policy in app/server.
export default defineConfig({
	base: "./",
	plugins: [react(), shell, worker],
	worker: { format: "es" },
	build: {
		outDir: "../app/server/dist",
		emptyOutDir: true,
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		target: "es2022",
		cssCodeSplit: false,
		reportCompressedSize: false,
		license: { fileName: "licenses.md" }, // of what the page is made of
	},
});
