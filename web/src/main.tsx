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

createRoot(document.getElementById("root")!).render(<App />);
