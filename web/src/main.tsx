import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/views.css";
import "./styles/workspace.css";

// A part of the page that the server has not any more: another version is served now.
window.addEventListener("vite:preloadError", (e) => {
	if (Date.now() - Number(sessionStorage.getItem("rein.reloaded")) < 60_000) return;
	sessionStorage.setItem("rein.reloaded", String(Date.now()));
	e.preventDefault();
	location.reload();
});

// Files that are dropped go to the view that takes them.
window.addEventListener("dragover", (e) => e.dataTransfer?.types.includes("Files") && e.preventDefault());
window.addEventListener("drop", (e) => {
	if (!e.dataTransfer?.types.includes("Files")) return;
	e.preventDefault();
	window.dispatchEvent(new CustomEvent("rein:files", { detail: [...e.dataTransfer.files] }));
});

createRoot(document.getElementById("root")!).render(<App />);
