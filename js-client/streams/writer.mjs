// Stand-in for a writer of Durable Streams: it lets the suite create streams and append to them, and
// passes reads to the node unchanged. A stream is a topic, whose messages all have its content type.
import { createServer, request } from "node:http";

const FORBIDDEN = new Set(["host", "connection", "content-length", "transfer-encoding", "expect"]);

/** Time for which a long poll of the suite waits, in seconds: the suite's limit is 20. */
const WAIT = "2";

/** Starts the stand-in; `node` is the URL of a node's client port. */
export async function startWriter(node) {
  const streams = new Map();
  const server = createServer((incoming, outgoing) => {
    serve(node, streams, incoming, outgoing).catch((error) => {
      outgoing.writeHead(500).end(String(error?.stack ?? error));
    });
  });
  // Otherwise a request may reuse a connection while the server ends it.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function serve(node, streams, incoming, outgoing) {
  const url = new URL(incoming.url, "http://stand-in");
  const name = url.pathname.split("/").at(-1);
  const topic = `${node}/topics/${name}`;
  if (incoming.method === "PUT") {
    await create(topic, name, streams, incoming, outgoing);
  } else if (incoming.method === "POST") {
    await append(topic, streams.get(name), incoming, outgoing);
  } else {
    pass(
      topic + incoming.url.slice(incoming.url.split("?")[0].length),
      streams.get(name),
      incoming,
      outgoing,
    );
  }
}

async function create(topic, name, streams, incoming, outgoing) {
  const known = streams.get(name);
  const type = incoming.headers["content-type"] ?? "application/octet-stream";
  const stream = known ?? { type, accept: accept(type), tail: undefined, last: Promise.resolve() };
  streams.set(name, stream);
  if (known === undefined) {
    stream.tail = await tail(topic);
  }
  const body = await all(incoming);
  if (known === undefined && body.length > 0 && body.toString() !== "[]") {
    await publish(topic, stream, body, stream.type);
  }
  const location = `http://${incoming.headers.host}${incoming.url}`;
  outgoing.writeHead(known === undefined ? 201 : 200, headers(stream, { location })).end();
}

async function append(topic, stream, incoming, outgoing) {
  const body = await all(incoming);
  // One after the other: the tail of the stream names what an append has added.
  const before = stream.last;
  let done;
  stream.last = new Promise((resolve) => (done = resolve));
  await before;
  try {
    const status = await publish(topic, stream, body, incoming.headers["content-type"]);
    outgoing.writeHead(status, headers(stream, {})).end();
  } finally {
    done();
  }
}

/** Publishes, and waits until the node has the messages: a broker passes them on by itself. */
async function publish(topic, stream, body, type) {
  const response = await fetch(topic, {
    method: "POST",
    headers: type === undefined ? {} : { "content-type": type },
    body,
  });
  if (!response.ok) {
    await response.arrayBuffer();
    return response.status;
  }
  let missing = stream.accept === "application/json" ? count(body) : 1;
  while (missing > 0) {
    const read = await fetch(`${topic}?live=long-poll&offset=${stream.tail}`);
    if (read.status === 200) {
      missing -= (await read.json()).length;
    } else if (read.status !== 204) {
      throw new Error(`${read.status} after an append: ${await read.text()}`);
    }
    stream.tail = read.headers.get("stream-next-offset");
  }
  return response.status;
}

function count(body) {
  const value = JSON.parse(body.toString());
  return Array.isArray(value) ? value.length : 1;
}

async function tail(topic) {
  const response = await fetch(topic, { method: "HEAD" });
  if (response.status !== 200) {
    throw new Error(`${response.status} for the tail of ${topic}`);
  }
  return response.headers.get("stream-next-offset");
}

function headers(stream, more) {
  return {
    "content-type": stream.type,
    "stream-next-offset": stream.tail,
    "x-content-type-options": "nosniff",
    ...more,
  };
}

function accept(type) {
  const lower = type.toLowerCase();
  if (lower.startsWith("application/json")) {
    return "application/json";
  }
  return lower.startsWith("text/") ? "text/plain" : "application/octet-stream";
}

/** Passes a request on; only its form, which the suite expects from the stream, is added. */
function pass(url, stream, incoming, outgoing) {
  const sent = Object.fromEntries(
    Object.entries(incoming.headers).filter(([name]) => !FORBIDDEN.has(name)),
  );
  if (stream !== undefined) {
    sent.accept = stream.accept;
  }
  if (url.includes("live=long-poll")) {
    sent.prefer = `wait=${WAIT}`;
  }
  const outward = request(url, { method: incoming.method, headers: sent }, (response) => {
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing);
  });
  outward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => outward.destroy());
  outward.end();
}

async function all(incoming) {
  const chunks = [];
  for await (const chunk of incoming) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
