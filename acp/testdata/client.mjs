// A client made with the TypeScript SDK of the protocol: it runs one session with a permission request and prints what it saw.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [program, cwd, ...args] = process.argv.slice(2);
const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const seen = { updates: {}, text: "", asked: [], statuses: [] };

await client({ name: "test" })
  .onNotification(methods.client.session.update, ({ params }) => {
    const u = params.update;
    seen.updates[u.sessionUpdate] = (seen.updates[u.sessionUpdate] ?? 0) + 1;
    if (u.sessionUpdate === "agent_message_chunk" && u.content.type === "text") seen.text += u.content.text;
    if (u.status) seen.statuses.push(u.status);
  })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    seen.asked.push({ title: params.toolCall.title, kinds: params.options.map((o) => o.kind) });
    const once = params.options.find((o) => o.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: once.optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await readFile(params.path, "utf8") }))
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => { await writeFile(params.path, params.content); return {}; })
  .connectWith(stream, async (ctx) => {
    const hello = await ctx.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    });
    seen.agent = hello.agentInfo.name;
    const session = await ctx.request(methods.agent.session.new, { cwd, mcpServers: [] });
    seen.modes = session.modes.availableModes.map((m) => m.id);
    seen.options = session.configOptions.map((o) => o.category);
    const prompt = [{ type: "text", text: "go" }];
    seen.stopped = (await ctx.request(methods.agent.session.prompt, { sessionId: session.sessionId, prompt })).stopReason;
    seen.listed = (await ctx.request(methods.agent.session.list, { cwd })).sessions.length;
    await ctx.request(methods.agent.session.close, { sessionId: session.sessionId });
  });

console.log(JSON.stringify(seen));
agent.kill();
process.exit(0);
