// Serves the page, signs users in and issues their tokens.
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const PORT = Number(process.env.PORT ?? 3000);
const TOKEN_SECONDS = Number(process.env.TOKEN_SECONDS ?? 30);

const USERS = new Map([
  ["ann", { password: "ann-1", roles: ["member"] }],
  ["bob", { password: "bob-1", roles: ["member"] }],
  ["cid", { password: "cid-1", roles: ["guest"] }],
  ["dan", { password: "dan-1", roles: [] }],
]);

const FILES = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/chat.js": ["chat.js", "text/javascript; charset=utf-8"],
  "/sluice.global.js": ["sluice.global.js", "text/javascript; charset=utf-8"],
};

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const jwk = { ...publicKey.export({ format: "jwk" }), kid: randomUUID(), alg: "EdDSA" };

// Value of the session cookie → name of the user.
const sessions = new Map();

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(PORT, "127.0.0.1", () => {
  console.log(`Chat: http://localhost:${server.address().port}/`);
});

async function answer(request, response) {
  const route = `${request.method} ${request.url}`;
  if (route === "GET /jwks.json") return sendJson(response, { keys: [jwk] });
  if (route === "POST /login") return logIn(await json(request), response);
  if (route === "POST /token") return issueToken(request, response);
  if (request.method !== "GET" || !(request.url in FILES)) return response.writeHead(404).end();
  const [file, type] = FILES[request.url];
  return response.writeHead(200, { "Content-Type": type }).end(await readFile(file));
}

function logIn({ user, password }, response) {
  if (USERS.get(user)?.password !== password) return response.writeHead(401).end();
  const session = randomUUID();
  sessions.set(session, user);
  const cookie = `session=${session}; HttpOnly; SameSite=Strict; Path=/`;
  return response.writeHead(204, { "Set-Cookie": cookie }).end();
}

function issueToken(request, response) {
  const [, session] = /(?:^|; )session=([^;]*)/.exec(request.headers.cookie) ?? [];
  const user = sessions.get(session);
  if (user === undefined) return response.writeHead(401).end();
  const now = Math.floor(Date.now() / 1_000);
  const expires = now + TOKEN_SECONDS;
  const { roles } = USERS.get(user);
  const claims = { iss: "chat", aud: "sluice", sub: user, roles, iat: now, exp: expires };
  return sendJson(response, { token: signed(claims), expires });
}

/** Returns a JWT with these claims. */
function signed(claims) {
  const content = [{ alg: jwk.alg, kid: jwk.kid, typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString("base64url")}`;
}

function sendJson(response, value) {
  response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify(value));
}
