import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { call, type Job, type JobOutput } from "../api/client";
import { Card, Empty } from "../parts/Card";
import { useAction, useData } from "../parts/Data";
import { Failure } from "../parts/Failure";
import { Output } from "../parts/Output";
import { Head } from "../parts/Shell";
import { Visible } from "../parts/Text";
import { may } from "../store/lists";
import { dateTime, took, useWords } from "../words";

const every = 2000; // ms between two looks at the list, while the page is seen
const kept = 256 << 10; // characters of output that the page keeps

// useTicks calls what is given now and then, while the page is seen.
function useTicks(what: () => void, ms: number, on: boolean) {
	const last = useRef(what);
	last.current = what;
	useEffect(() => {
		if (!on) return;
		const t = window.setInterval(() => document.visibilityState === "visible" && last.current(), ms);
		return () => clearInterval(t);
	}, [ms, on]);
}

export default function JobsView() {
	const w = useWords();
	const { data, problem, reload } = useData<Job[]>("/jobs");
	useTicks(reload, every, true);
	const running = data?.filter((j) => j.running).length ?? 0;
	return (
		<>
			<Head title={w.jobs} sub={data && data.length > 0 ? w.jobsView.running(running) : undefined} />
			<div className="page jobs">
				<Failure error={problem} />
				{data?.length === 0 && <Empty title={w.jobsView.empty} more={w.jobsView.emptyMore} />}
				{data?.map((j) => <OneJob key={j.session + j.id} job={j} onStop={reload} />)}
			</div>
		</>
	);
}

function OneJob({ job: j, onStop }: { job: Job; onStop: () => void }) {
	const w = useWords();
	const [open, setOpen] = useState(false);
	const stop = useAction();
	const [stopping, setStopping] = useState(false);
	const end = j.running ? (stopping ? w.stopping : w.running) : j.signal ? w.jobsView.ended(j.signal) : w.exit(j.exit_code);
	async function act() {
		setStopping(true);
		if (!(await stop.run(() => call("POST", `/sessions/${j.session}/jobs/${j.id}/stop`)))) setStopping(false);
		onStop();
	}
	return (
		<Card
			mono state={j.running ? "running" : j.exit_code === 0 ? "done" : "refused"} title={<Visible text={j.command} />}
			right={<><span className={j.running ? "tag run" : j.exit_code === 0 ? "tag done" : "tag bad"}>{end}</span><span className="mono">{took(j.duration_ns)}</span></>}
		>
			<p className="note"><Link href={"/s/" + j.session}>{j.title || j.session}</Link> · {dateTime(j.started)}</p>
			<Failure error={stop.problem} />
			<footer>
				<div className="buttons">
					<button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? w.jobsView.hide : w.jobsView.show}</button>
					{j.running && may("operator") && <button type="button" className="no" disabled={stopping || stop.busy} onClick={() => void act()}>{w.stop}</button>}
				</div>
			</footer>
			{open && <JobLog job={j} />}
		</Card>
	);
}

// JobLog follows the output of a job from where it was left.
function JobLog({ job: j }: { job: Job }) {
	const w = useWords();
	const [text, setText] = useState("");
	const [problem, setProblem] = useState<unknown>(null);
	const [ended, setEnded] = useState(false);
	const [cut, setCut] = useState(false);
	const next = useRef(0);
	const busy = useRef(false);
	const look = async () => {
		if (busy.current) return;
		busy.current = true;
		try {
			const o = await call<JobOutput>("GET", `/sessions/${j.session}/jobs/${j.id}?from=${next.current}`);
			if (o.from > next.current) setCut(true);
			next.current = o.next;
			if (o.text) setText((t) => (t + o.text).slice(-kept));
			setEnded(!o.job.running);
			setProblem(null);
		} catch (e) {
			setProblem(e);
		}
		busy.current = false;
	};
	useEffect(() => void look(), []); // eslint-disable-line
	useTicks(() => void look(), 1000, !ended);
	return (
		<>
			{cut && <p className="note">{w.jobsView.cut}</p>}
			<Failure error={problem} />
			{text ? <Output text={text} live={!ended} label={w.output} /> : <p className="note">{w.jobsView.nothing}</p>}
		</>
	);
}
