// random names something: 26 letters and digits. The browser's own UUIDs are only there over TLS and on this machine.
export function random(letters = 26): string {
	return [...crypto.getRandomValues(new Uint8Array(letters))].map((n) => "abcdefghijklmnopqrstuvwxyz234567"[n % 32]).join("");
}
