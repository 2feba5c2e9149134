// A client made with the TypeScript SDK of the protocol: it uses all of what rein serves and prints what it saw.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [program, cwd, ...args] = process.argv.slice(2);
const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const seen = { updates: [], text: "", asked: [], statuses: [], reads: [], writes: [], terminals: 0, stops: {}, wrong: [] };
let pick = "allow_once"; // the kind of option that the user chooses; "hang": the user does not answer
let onAsk = () => {};
const { session, initialize, authenticate } = methods.agent;

await client({ name: "test" })
  .onNotification(methods.client.session.update, ({ params }) => {
    const u = params.update;
    if (!seen.updates.includes(u.sessionUpdate)) seen.updates.push(u.sessionUpdate);
    if (u.sessionUpdate === "agent_message_chunk" && u.content.type === "text") seen.text += u.content.text;
    if (u.status) seen.statuses.push(u.status);
  })
  .onRequest(methods.client.session.requestPermission, async ({ params }) => {
    seen.asked.push({ title: params.toolCall.title, kinds: params.options.map((o) => o.kind) });
    onAsk();
    if (pick === "hang") return new Promise(() => {});
    if (pick === "cancelled") return { outcome: { outcome: "cancelled" } };
    const chosen = params.options.find((o) => o.kind === pick) ?? { optionId: "nonsense" };
    return { outcome: { outcome: "selected", optionId: chosen.optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => { seen.reads.push(params.path); return { content: await readFile(params.path, "utf8") }; })
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => { seen.writes.push(params.path); await writeFile(params.path, params.content); return {}; })
  .onRequest(methods.client.terminal.create, () => ({ terminalId: "t" + ++seen.terminals }))
  .onRequest(methods.client.terminal.output, () => ({ output: "", truncated: false }))
  .onRequest(methods.client.terminal.waitForExit, () => ({ exitCode: 0 }))
  .onRequest(methods.client.terminal.kill, () => ({}))
  .onRequest(methods.client.terminal.release, () => ({}))
  .connectWith(stream, async (ctx) => {
    const hello = await ctx.request(initialize, { protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true } });
    seen.agent = hello.agentInfo.name;
    await ctx.request(authenticate, { methodId: hello.authMethods[0].id });
    const s = await ctx.request(session.new, { cwd, mcpServers: [] });
    const id = s.sessionId;
    seen.modes = s.modes.availableModes.map((m) => m.id);
    seen.options = s.configOptions.map((o) => o.category);
    const say = async (name, text) => {
      const r = await ctx.request(session.prompt, { sessionId: id, prompt: [{ type: "text", text }] });
      seen.stops[name] = r.stopReason;
    };
    await say("once", "go");
    pick = "allow_always"; await say("always", "go");
    pick = "reject_once"; await say("rejected", "go");
    pick = "unknown"; await say("nonsense", "go");
    pick = "hang";
    onAsk = () => ctx.notify(session.cancel, { sessionId: id });
    await say("cancelled while it asks", "go");
    onAsk = () => {}; pick = "allow_once";
    const slow = say("cancelled while it runs", "go");
    setTimeout(() => ctx.notify(session.cancel, { sessionId: id }), 1500);
    await slow;
    await ctx.notify(session.cancel, { sessionId: id }); // nothing is at work
    await say("edit", "go");
    await ctx.request(session.setMode, { sessionId: id, modeId: "read-only" });
    const mode = s.configOptions.find((o) => o.category === "mode");
    const set = await ctx.request(session.setConfigOption, { sessionId: id, configId: mode.id, value: "supervised" });
    seen.mode = set.configOptions.find((o) => o.category === "mode").currentValue;
    await say("status", "/status");
    seen.listed = (await ctx.request(session.list, { cwd })).sessions.length;
    await ctx.request(session.close, { sessionId: id });
    const before = seen.text.length;
    await ctx.request(session.load, { sessionId: id, cwd, mcpServers: [] });
    seen.loaded = seen.text.slice(before).slice(0, 20);
    await ctx.request(session.close, { sessionId: id });
    await ctx.request(session.resume, { sessionId: id, cwd, mcpServers: [] });
    await say("after resume", "go");
    for (const [name, p] of [["no such session", { sessionId: "nobody", prompt: [] }], ["no cwd", { cwd: "x", mcpServers: [] }]]) {
      try { await ctx.request(name === "no cwd" ? session.new : session.prompt, p); seen.wrong.push(name + ": no error"); }
      catch (e) { seen.wrong.push(name + ": " + e.code); }
    }
    await ctx.request(session.delete, { sessionId: id });
    seen.left = (await ctx.request(session.list, { cwd })).sessions.length;
  });

console.log(JSON.stringify(seen));
agent.kill();
process.exit(0);
