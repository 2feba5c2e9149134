import { useEffect, useRef } from "react";
import type { Request } from "../api/client";
import { useDraft } from "../store/drafts";
import { formWord, useWords } from "../words";
import { Markdown } from "./Markdown";
import { allVisible, Visible } from "./Text";

type Asked = NonNullable<NonNullable<Request["intent"]>["questions"]>;
export interface Chosen { answers: { choices?: string[] | null; text?: string }[] | null }

// Questions is the form of a call that asks the user: one group for each question. A question may be left out. name is
// that of the request.
export function Questions({ name, asked, plan, disabled, onAnswer, onRefuse }: { name: string; asked: Asked; plan: boolean; disabled: boolean; onAnswer: (c: Chosen) => void; onRefuse: () => void }) {
	const w = useWords();
	const list = asked.list ?? [];
	const [picked, setPicked] = useDraft<string[][]>(name + " choices", () => list.map((q) => q.given?.choices ?? []));
	const [texts, setTexts] = useDraft<string[]>(name + " texts", () => list.map((q) => q.given?.text ?? ""));
	const form = useRef<HTMLFormElement>(null);
	useEffect(() => { // what was wrong in a form is in view when it is asked again
		const wrong = list.findIndex((q) => q.given && /^That does not fit: /.test(q.question));
		const at = form.current?.querySelectorAll("fieldset")[wrong];
		at?.scrollIntoView({ block: "nearest" });
		if (document.activeElement === document.body) at?.querySelector<HTMLElement>("input, textarea")?.focus();
	}, []);

	function pick(n: number, label: string, several: boolean) {
		setPicked((all) => all.map((p, i) => i !== n ? p : !several ? [label] : p.includes(label) ? p.filter((x) => x !== label) : [...p, label]));
	}

	function send() {
		onAnswer({ answers: list.map((_, n) => ({ ...(picked[n]?.length ? { choices: picked[n] } : {}), ...(texts[n]?.trim() ? { text: texts[n].trim() } : {}) })) });
	}

	const own = (text: string) => (asked.from || plan ? formWord(w, text) : text);
	const optional = !!asked.from && !list.some((q) => q.question.endsWith(" (required)")); // a form that counts as it is
	const given = optional || picked.some((p) => p.length) || texts.some((t) => t.trim());
	const ready = !disabled && given;
	return (
		<form ref={form} className="questions" onSubmit={(e) => (e.preventDefault(), send())} onKeyDown={(e) => e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.nativeEvent.isComposing && (e.preventDefault(), ready && send())}>
			{asked.from && <p className="note"><Visible text={own(asked.from)} /></p>}
			{list.map((q, n) => (
				<fieldset key={n} disabled={disabled} aria-label={plan ? w.thePlan : undefined}>
					{plan ? <Plan text={own(q.question)} /> : <legend>{q.header && <><span className="tag quiet"><Visible text={q.header} /></span> </>}<Visible text={own(q.question)} /></legend>}
					{(q.choices ?? []).map((c) => (
						<label key={c.label} className="choice">
							<input type={q.several ? "checkbox" : "radio"} name={"q" + n} checked={picked[n]?.includes(c.label) ?? false} onChange={() => pick(n, c.label, !!q.several)}
								onClick={() => !q.several && picked[n]?.includes(c.label) && setPicked((all) => all.map((p, i) => (i === n ? [] : p)))} />
							<span><b><Visible text={(plan && w.planChoices[c.label]) || own(c.label)} /></b>{c.description && <> <Visible text={own(c.description)} /></>}</span>
						</label>
					))}
					{(q.free || !q.choices?.length) && <textarea rows={2} value={texts[n]} placeholder={plan ? w.planWords : w.yourAnswer} aria-label={plan ? w.planWords : w.yourAnswer} maxLength={10_000}
						onChange={(e) => setTexts((all) => all.map((t, i) => (i === n ? e.target.value : t)))} />}
				</fieldset>
			))}
			<div className="buttons">
				<button type="submit" className="main" disabled={!ready}>{w.sendAnswer}</button>
				<button type="button" className="no" disabled={disabled} onClick={onRefuse}>{w.noAnswer}</button>
			</div>
		</form>
	);
}

// Plan shows a plan. One with invisible characters is shown as it was written, with marks for them.
export function Plan({ text }: { text: string }) {
	return <div className="plantext" tabIndex={0}>{allVisible(text) ? <Markdown text={text} /> : <pre><Visible text={text} /></pre>}</div>;
}

// Given shows what the user answered to each question.
export function Given({ asked, chosen, plan }: { asked: Asked; chosen: Chosen; plan: boolean }) {
	const w = useWords();
	return (
		<dl className="given">
			{(asked.list ?? []).map((q, n) => {
				const a = chosen.answers?.[n];
				const labels = (a?.choices ?? []).map((c) => (plan && w.planChoices[c]) || c);
				return <div key={n}>{!plan && <dt><Visible text={q.question} /></dt>}<dd><Visible text={[...labels, a?.text].filter(Boolean).join(" · ") || w.leftOut} /></dd></div>;
			})}
		</dl>
	);
}
