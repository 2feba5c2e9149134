import { Activity, Bot, Brain, CalendarClock, ChartColumn, FolderOpen, Inbox as InboxIcon, MessagesSquare, Plug, Scale, ScrollText, Settings as SettingsIcon, ShieldCheck, Sparkles, SquareTerminal, Users } from "lucide-react";
import { lazy, type ComponentType, type LazyExoticComponent, type ReactNode } from "react";
import { may } from "./store/lists";
import { useWords, type Words } from "./words";
import { InboxView } from "./views/Inbox";
import { SessionsView } from "./views/Sessions";

type Name = { [K in keyof Words]: Words[K] extends string ? K : never }[keyof Words];

interface View {
	path: string;
	name: Name;
	icon: ReactNode;
	group: "daily" | "workspace";
	key?: string; // after g, goes there
	role?: "operator" | "owner"; // only who has it sees it
	view: ComponentType | LazyExoticComponent<ComponentType>;
}

// all are the views that the navigation and the palette name. What most people open first is part of the first script; each of
// the others is a script of its own, which the browser loads when it is opened.
export const all: View[] = [
	{ path: "/", name: "inbox", icon: <InboxIcon size={18} />, group: "daily", key: "i", view: InboxView },
	{ path: "/sessions", name: "sessions", icon: <MessagesSquare size={18} />, group: "daily", key: "s", view: SessionsView },
	{ path: "/timeline", name: "timeline", icon: <Activity size={18} />, group: "daily", key: "t", view: lazy(() => import("./views/Timeline")) },
	{ path: "/usage", name: "usage", icon: <ChartColumn size={18} />, group: "daily", key: "u", view: lazy(() => import("./views/Usage")) },
	{ path: "/files", name: "workspaceFiles", icon: <FolderOpen size={18} />, group: "workspace", key: "f", view: lazy(() => import("./views/Files")) },
	{ path: "/jobs", name: "jobs", icon: <SquareTerminal size={18} />, group: "workspace", key: "j", view: lazy(() => import("./views/Jobs")) },
	{ path: "/rules", name: "rules", icon: <Scale size={18} />, group: "workspace", key: "r", view: lazy(() => import("./views/Rules")) },
	{ path: "/schedules", name: "schedules", icon: <CalendarClock size={18} />, group: "workspace", view: lazy(() => import("./views/Schedules")) },
	{ path: "/agents", name: "agents", icon: <Bot size={18} />, group: "workspace", view: lazy(() => import("./views/Agents")) },
	{ path: "/skills", name: "skills", icon: <Sparkles size={18} />, group: "workspace", view: lazy(() => import("./views/Skills")) },
	{ path: "/mcp", name: "mcp", icon: <Plug size={18} />, group: "workspace", view: lazy(() => import("./views/Servers")) },
	{ path: "/memory", name: "memory", icon: <Brain size={18} />, group: "workspace", view: lazy(() => import("./views/Memory")) },
	{ path: "/trust", name: "trust", icon: <ShieldCheck size={18} />, group: "workspace", view: lazy(() => import("./views/Trust")) },
	{ path: "/audit", name: "audit", icon: <ScrollText size={18} />, group: "workspace", key: "a", role: "operator", view: lazy(() => import("./views/Audit")) },
	{ path: "/users", name: "users", icon: <Users size={18} />, group: "workspace", role: "owner", view: lazy(() => import("./views/Users")) },
	{ path: "/settings", name: "settings", icon: <SettingsIcon size={18} />, group: "workspace", view: lazy(() => import("./views/Settings")) },
];

// useViews returns the views that the user sees, with their names.
export function useViews(): (Omit<View, "name"> & { name: string })[] {
	const w = useWords();
	return all.filter((v) => !v.role || may(v.role)).map((v) => ({ ...v, name: w[v.name] }));
}

// keyOf returns the path to which a key goes after g.
export function keyOf(key: string): string | undefined {
	return all.find((v) => v.key === key && (!v.role || may(v.role)))?.path;
}
