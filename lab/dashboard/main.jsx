// Draws the panels of docs/grafana.json by Grafana's own components, from the answers of Prometheus in data.json.
import { createTheme, dateTime, FieldType, getDisplayProcessor, ThemeContext, toDataFrame } from "@grafana/data";
import { GlobalStyles, PanelChrome, TimeSeries } from "@grafana/ui";
import React from "react";
import { createRoot } from "react-dom/client";
import { from, panels, to } from "./data.json";

const theme = createTheme({ colors: { mode: "light" } });
const range = { from: dateTime(from * 1000), to: dateTime(to * 1000), raw: { from: dateTime(from * 1000), to: dateTime(to * 1000) } };
const column = 1400 / 24, row = 30; // of the grid of a dashboard, in pixels

function frameOf({ legend, labels, values }, number, options) {
	const name = legend.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => labels[label] ?? "");
	const frame = toDataFrame({
		fields: [
			{ name: "Time", type: FieldType.time, values: values.map(([t]) => t * 1000), config: {} },
			{ name, type: FieldType.number, values: values.map(([, v]) => (v === "NaN" ? null : Number(v))), config: { displayName: name, ...options, color: { mode: "palette-classic" }, custom: { drawStyle: "line", lineWidth: 1, showPoints: "never", ...options.custom } } },
		],
	});
	frame.fields[1].state = { seriesIndex: number };
	for (const field of frame.fields) field.display = getDisplayProcessor({ field, theme });
	return frame;
}

function Panel({ panel, series }) {
	const { x, y, w, h } = panel.gridPos;
	const frames = series.map((s, i) => frameOf(s, i, panel.fieldConfig.defaults));
	return (
		<div style={{ position: "absolute", left: x * column + 4, top: y * row + 4 }}>
			<PanelChrome title={panel.title} width={w * column - 8} height={h * row - 8}>
				{(width, height) => (frames.length > 0 ? <TimeSeries frames={frames} structureRev={1} timeRange={range} timeZone="utc" width={width} height={height} legend={{ showLegend: true, displayMode: "list", placement: "bottom", calcs: [] }} /> : "No data")}
			</PanelChrome>
		</div>
	);
}

createRoot(document.getElementById("root")).render(
	<ThemeContext.Provider value={theme}>
		<GlobalStyles />
		{panels.map((p) => <Panel key={p.panel.id} {...p} />)}
	</ThemeContext.Provider>,
);
