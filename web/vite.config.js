import { defineConfig } from "vite";
import react from "@vitejs/plugin-react";

// The page has no inline code and injects no style: see the policy in server/page.
export default defineConfig({
	base: "./",
	plugins: [react()],
	worker: { format: "es" },
	build: {
		outDir: "../server/page/dist",
		emptyOutDir: true,
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		target: "es2022",
		cssCodeSplit: false,
		reportCompressedSize: false,
	},
});
