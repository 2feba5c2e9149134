import { X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { useWords } from "../words";

// Sheet is a dialog of the browser's own: it keeps the focus inside and closes with Escape.
export function Sheet({ title, onClose, children, wide }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
	const w = useWords();
	const ref = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		const d = ref.current;
		d?.showModal();
		d?.querySelector<HTMLElement>("input:not([type=checkbox]), textarea")?.focus(); // the browser would take the button that closes
		return () => d?.close();
	}, []);
	return (
		<dialog ref={ref} className={wide ? "sheet wide" : "sheet"} aria-label={title} onClose={onClose} onClick={(e) => e.target === ref.current && onClose()}>
			<div className="sheetbox">
				<header><h2>{title}</h2><button type="button" className="icon" aria-label={w.close} onClick={onClose}><X size={18} /></button></header>
				{children}
			</div>
		</dialog>
	);
}
