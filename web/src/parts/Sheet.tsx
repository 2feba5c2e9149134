import { X } from "lucide-react";
import { useLayoutEffect, useRef, type ReactNode } from "react";
import { useWords } from "../words";

// Sheet is a dialog of the browser's own: it keeps the focus inside, closes with Escape, and gives the focus back. One that stays closes by its
// buttons only, because what it shows is not shown again.
export function Sheet({ title, onClose, children, wide, stays }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean; stays?: boolean }) {
	const w = useWords();
	const ref = useRef<HTMLDialogElement>(null);
	const beside = useRef(false); // where the pointer went down: who selects a text may let go beside the dialog
	useLayoutEffect(() => { // it is closed before it is gone: the browser then gives the focus back
		const d = ref.current;
		d?.showModal();
		d?.querySelector<HTMLElement>("input:not([type=checkbox]), textarea")?.focus(); // the browser would take the button that closes
		return () => d?.close();
	}, []);
	return (
		<dialog ref={ref} className={wide ? "sheet wide" : "sheet"} aria-label={title} onClose={stays ? () => ref.current?.showModal() : onClose} onCancel={(e) => stays && e.preventDefault()}
			onPointerDown={(e) => (beside.current = !stays && e.target === ref.current)} onClick={(e) => e.target === ref.current && beside.current && onClose()}>
			<div className="sheetbox">
				<header><h2>{title}</h2><button type="button" className="icon" aria-label={w.close} onClick={onClose}><X size={18} /></button></header>
				{children}
			</div>
		</dialog>
	);
}
