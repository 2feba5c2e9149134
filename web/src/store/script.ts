import { base } from "../api/client";
import worker from "./highlight.worker?worker&url";

declare global {
	interface Window {
		trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string } };
	}
}

// The scripts that the page starts by their address: the worker that finds colours, and the one that keeps the shell.
export const scripts = { colours: worker, shell: base + "sw.js" };

// The only policy of the page: it allows these two and nothing else.
const policy = window.trustedTypes?.createPolicy("rein", {
	createScriptURL(url) {
		if (!Object.values(scripts).includes(url)) throw new TypeError("not a script of this page");
		return url;
	},
});

export function script(name: keyof typeof scripts): string {
	return policy ? policy.createScriptURL(scripts[name]) : scripts[name];
}
