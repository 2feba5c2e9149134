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

// The page has no inline code and injects no style: see the policy in app/server.
export default defineConfig({
	base: "./",
	plugins: [react(), shell],
	worker: { format: "es" },
	build: {
		outDir: "../app/server/dist",
		emptyOutDir: true,
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		target: "es2022",
		cssCodeSplit: false,
		reportCompressedSize: false,
	},
});
