import { useState } from "react";
import type { Request } from "../api/client";
import { useWords } from "../words";
import { Visible } from "./Text";

type Asked = NonNullable<NonNullable<Request["intent"]>["questions"]>;
export interface Chosen { answers: { choices?: string[]; text?: string }[] }

// Questions is the form of a call that asks the user: one group for each question. A question may be left out.
export function Questions({ asked, disabled, onAnswer, onRefuse }: { asked: Asked; disabled: boolean; onAnswer: (c: Chosen) => void; onRefuse: () => void }) {
	const w = useWords();
	const list = asked.list ?? [];
	const [picked, setPicked] = useState<string[][]>(list.map(() => []));
	const [texts, setTexts] = useState<string[]>(list.map(() => ""));

	function pick(n: number, label: string, several: boolean) {
		setPicked((all) => all.map((p, i) => i !== n ? p : !several ? [label] : p.includes(label) ? p.filter((x) => x !== label) : [...p, label]));
	}

	function send() {
		onAnswer({ answers: list.map((_, n) => ({ ...(picked[n]?.length ? { choices: picked[n] } : {}), ...(texts[n]?.trim() ? { text: texts[n].trim() } : {}) })) });
	}

	return (
		<form className="questions" onSubmit={(e) => (e.preventDefault(), send())}>
			{asked.from && <p className="note"><Visible text={asked.from} /></p>}
			{list.map((q, n) => (
				<fieldset key={n} disabled={disabled}>
					<legend><Visible text={q.question} /></legend>
					{(q.choices ?? []).map((c) => (
						<label key={c.label} className="choice">
							<input type={q.several ? "checkbox" : "radio"} name={"q" + n} checked={picked[n]?.includes(c.label) ?? false} onChange={() => pick(n, c.label, !!q.several)} />
							<span><b><Visible text={c.label} /></b>{c.description && <> <Visible text={c.description} /></>}</span>
						</label>
					))}
					{q.free && <textarea rows={2} value={texts[n]} placeholder={w.yourAnswer} aria-label={w.yourAnswer} maxLength={10_000}
						onChange={(e) => setTexts((all) => all.map((t, i) => (i === n ? e.target.value : t)))} />}
				</fieldset>
			))}
			<div className="buttons">
				<button type="submit" className="main" disabled={disabled}>{w.sendAnswer}</button>
				<button type="button" className="no" disabled={disabled} onClick={onRefuse}>{w.noAnswer}</button>
			</div>
		</form>
	);
}
