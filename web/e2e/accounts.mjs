// A provider of accounts (OpenID Connect) that lets one person in at once.
import { createHash, createSign, generateKeyPairSync } from "node:crypto";
import http from "node:http";

export class Accounts {
	constructor(claims) {
		this.claims = claims;
		this.keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
	}
	async start() {
		this.server = http.createServer((q, a) => this.answer(q, a));
		await new Promise((ok) => this.server.listen(0, "127.0.0.1", ok));
		this.url = `http://127.0.0.1:${this.server.address().port}`;
		return this;
	}
	close() {
		this.server.closeAllConnections();
		this.server.close();
	}
	answer(q, a) {
		const at = new URL(q.url, this.url);
		const json = (value) => (a.setHeader("Content-Type", "application/json"), a.end(JSON.stringify(value)));
		switch (at.pathname) {
			case "/.well-known/openid-configuration":
				return json({ issuer: this.url, authorization_endpoint: this.url + "/in", token_endpoint: this.url + "/token", jwks_uri: this.url + "/keys", id_token_signing_alg_values_supported: ["RS256"], response_types_supported: ["code"], subject_types_supported: ["public"] });
			case "/keys":
				return json({ keys: [{ ...this.keys.publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] });
			case "/in": {
				this.asked = at.searchParams;
				const back = new URL(this.asked.get("redirect_uri"));
				back.searchParams.set("state", this.asked.get("state"));
				back.searchParams.set("code", "the-code");
				a.writeHead(303, { Location: back.href });
				return a.end();
			}
			case "/token": {
				let text = "";
				q.on("data", (d) => (text += d));
				return q.on("end", () => {
					const given = new URLSearchParams(text);
					const challenge = createHash("sha256").update(given.get("code_verifier") ?? "").digest("base64url");
					if (given.get("code") !== "the-code" || challenge !== this.asked.get("code_challenge")) {
						a.writeHead(400);
						return json({ error: "invalid_grant" });
					}
					json({ access_token: "x", token_type: "Bearer", id_token: this.token() });
				});
			}
		}
		a.writeHead(404);
		a.end();
	}
	token() {
		const part = (v) => Buffer.from(JSON.stringify(v)).toString("base64url");
		const now = Math.floor(Date.now() / 1000);
		const body = part({ alg: "RS256", kid: "one" }) + "." + part({ iss: this.url, aud: this.asked.get("client_id"), sub: "7", iat: now, exp: now + 300, nonce: this.asked.get("nonce"), ...this.claims });
		return body + "." + createSign("RSA-SHA256").update(body).sign(this.keys.privateKey).toString("base64url");
	}
}
