// Admin port of a cluster whose data fixture-data.mjs makes up, with the console below /console/.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as data from "./fixture-data.mjs";

const WEB = fileURLToPath(new URL("../target/web/", import.meta.url));
/** As in ConsoleFiles of the gateway, whose own test has the page of a real node. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';" +
  " base-uri 'none'; form-action 'none'; frame-ancestors 'none';" +
  " require-trusted-types-for 'script'; trusted-types 'none'";
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/**
 * Starts the server.
 *
 * @param token required token; without one, requests need none
 * @param missing paths that the node does not offer
 * @param changed functions that return another response, by the first segment of their path
 */
export async function startFixture({ token, missing = [], changed = {} } = {}) {
  const fixture = {
    commands: [],
    requests: [],
    state: "up",
    isTraced: false,
    changed,
    revocations: [{ subject: data.HOSTILE, since: 1763700000000, until: 1863786400000 }],
  };
  const server = createServer((request, response) => {
    serve(fixture, { token, missing }, request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  fixture.url = `http://127.0.0.1:${server.address().port}`;
  fixture.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return fixture;
}

async function serve(fixture, { token, missing }, request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://fixture");
  if (pathname.startsWith("/console/")) return serveFile(pathname.slice(9), response);
  fixture.requests.push(request.url);
  if (pathname === "/login") {
    return json(response, 200, { required: Boolean(token), methods: token ? ["token"] : [] });
  }
  if (missing.some((path) => pathname.startsWith(path))) {
    return text(response, 404, "no such page; there are /cluster");
  }
  if (
    token &&
    !pathname.startsWith("/health") &&
    request.headers.authorization !== `Bearer ${token}`
  ) {
    return text(response, 401, "the token is invalid for this node");
  }
  if (request.method === "GET") return answer(fixture, pathname, searchParams, response);
  return command(fixture, request.method, pathname, await bodyOf(request), response);
}

async function serveFile(name, response) {
  const path = join(WEB, name === "" ? "index.html" : name);
  const content = await readFile(path).catch(() => undefined);
  if (!content) return text(response, 404, "no such file");
  response.writeHead(200, {
    "content-type": TYPES[extname(path)],
    "content-security-policy": POLICY,
  });
  response.end(content);
}

function answer(fixture, path, query, response) {
  const [, first, second, third] = path.split("/").map(decodeURIComponent);
  const found = () => {
    if (fixture.changed[first]) return fixture.changed[first]();
    switch (first) {
      case "cluster":
        return data.cluster(fixture.state);
      case "overview":
        return data.overview();
      case "config":
        return { keys: data.configuration };
      case "audit":
        return data.audit(query.get("search") ?? "");
      case "loggers":
        return { loggers: data.loggers };
      case "health":
        return { status: "ready" };
      case "topics":
        return second ? data.topicDetail(second) : data.topicPage(query);
      case "clients":
        return second ? data.clientDetail(second, fixture.isTraced) : data.clientPage(query);
      case "why":
        return data.why(query.get("subject"), query.get("topic"));
      case "revocations":
        return { revocations: fixture.revocations, total: fixture.revocations.length };
      default:
        return undefined;
    }
  };
  if (third === "tail") return tail(second, response);
  const body = found();
  if (body) return json(response, 200, body);
  return text(response, 404, second ? "no such session" : "no such page; there are /cluster");
}

function tail(topic, response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let position = 1; position <= 3; position++) {
    const properties = { venue: data.HOSTILE };
    const message = { offset: position, topic, at: 1763700000000, kind: "text", bytes: 12 };
    const event = { ...message, skipped: position - 1, properties };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  if (topic.endsWith(".ended")) {
    response.end('event: end\ndata: {"reason":"the token has expired"}\n\n');
  }
}

function command(fixture, method, path, body, response) {
  fixture.commands.push({ method, path, body });
  if (path === "/drain") fixture.state = "draining";
  if (path === "/undrain") fixture.state = "up";
  if (path.endsWith("/trace")) fixture.isTraced = true;
  if (path === "/loggers") return json(response, 200, { changed: true, ...body });
  if (path.startsWith("/clients/")) return json(response, 200, { done: true });
  if (path === "/reload") return json(response, 200, { applied: ["limits"], restart: [] });
  if (path === "/revocations") return json(response, 200, { closed: 2 });
  if (method === "DELETE") fixture.revocations.pop();
  return json(response, 202, { node: "gw-1", state: fixture.state, connections: 3400, moves: 12 });
}

async function bodyOf(request) {
  let content = "";
  for await (const part of request) content += part;
  return content === "" ? undefined : JSON.parse(content);
}

function json(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function text(response, status, line) {
  response.writeHead(status, { "content-type": "text/plain" }).end(`${line}\n`);
}
