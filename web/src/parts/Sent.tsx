import { useEffect, useState } from "react";
import { base } from "../api/client";
import { may } from "../store/lists";
import type { Call } from "../store/talk";
import { size, useWords } from "../words";
import { Copy } from "./Copy";
import { Visible } from "./Text";

// SentFile is a file that send_file showed, as its result names it.
export interface SentFile { path: string; abs?: string; size?: number; note?: string }

const types: Record<string, string> = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp", svg: "image/svg+xml" };
const mostShown = 20e6; // bytes of an image

// Sent is a file for the user: an image is shown, every file can be downloaded. The server gives only files of the workspace.
export function Sent({ file: f, call: c }: { file: SentFile; call: Call }) {
	const w = useWords();
	const here = may("operator") && c.state === "done" && !/^(\/|~|\.\.|[A-Za-z]:)/.test(f.path);
	const url = `${base}v1/sessions/${c.session}/files/${c.id}`;
	const type = types[f.path.slice(f.path.lastIndexOf(".") + 1).toLowerCase()];
	return (
		<>
			<p className="by sent"><span className="mono"><Visible text={f.abs!} /></span> <span className="dim">{size(f.size ?? 0)}</span><Copy text={f.abs!} />{here && <a className="link" href={url} download>{w.download}</a>}{f.note && <q><Visible text={f.note} /></q>}</p>
			{here && type && (f.size ?? 0) <= mostShown && <Picture url={url} type={type} name={f.path} />}
		</>
	);
}

// Picture shows an image that the server gives only as a download. As an image, nothing in it runs: no script of an SVG file either.
function Picture({ url, type, name }: { url: string; type: string; name: string }) {
	const [shown, setShown] = useState("");
	useEffect(() => {
		const stop = new AbortController();
		let made = "";
		void fetch(url, { signal: stop.signal }).then(async (r) => {
			if (!r.ok) return;
			const data = await r.arrayBuffer();
			if (!stop.signal.aborted) setShown((made = URL.createObjectURL(new Blob([data], { type }))));
		}, () => undefined);
		return () => (stop.abort(), URL.revokeObjectURL(made));
	}, [url, type]);
	return shown ? <img className="shown" alt={name} src={shown} /> : null;
}
