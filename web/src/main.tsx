import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/views.css";
import "./styles/workspace.css";

createRoot(document.getElementById("root")!).render(<App />);
