import { Store } from "./store";

// Look is what this browser keeps about how the page looks and behaves.
export interface Look {
	theme: "system" | "light" | "dark";
	language: string; // "" is the browser's
	letters: boolean; // keys of one letter
	notify: boolean; // of requests, while the page is open and hidden
	notifyEnds: boolean; // of turns too
	offered: boolean; // notifications were offered once
	split: boolean; // diffs side by side, where there is room
}

const usual: Look = { theme: "system", language: "", letters: true, notify: false, notifyEnds: false, offered: false, split: false };

function read(): Look {
	try {
		return { ...usual, ...JSON.parse(localStorage.getItem("rein.look") ?? "{}") };
	} catch {
		return usual;
	}
}

export const look = new Store<Look>(read());

look.subscribe(() => {
	const now = look.get();
	localStorage.setItem("rein.look", JSON.stringify(now));
	const root = document.documentElement;
	if (now.theme === "system") delete root.dataset.theme;
	else root.dataset.theme = now.theme;
	root.lang = (now.language || navigator.language).toLowerCase().startsWith("zh") ? "zh-CN" : "en";
});
