// curl, which is started again with Last-Event-ID when its connection ends: node curl.mjs <host:port>
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { follow, isRepeated, say, split } from "./lines.mjs";

const [address] = process.argv.slice(2);
const running = new Set();

function curl(...options) {
  const child = spawn("curl", ["--silent", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  child.on("close", () => running.delete(child));
  return child;
}

function subscribe(pattern, id) {
  const resume = id === undefined ? [] : ["--header", `Last-Event-ID: ${id}`];
  const url = `http://${address}/topics?topic=${encodeURIComponent(pattern)}`;
  const headers = ["--header", "Accept: text/event-stream", ...resume];
  const child = curl("--no-buffer", "--include", "--max-time", "600", ...headers, url);
  let event = {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (line === "") {
      if (event.id !== undefined) id = event.id;
      if (event.data !== undefined) onEvent(event);
      event = {};
    } else if (line.startsWith("HTTP/1.1 200")) {
      say("SUBSCRIBED", pattern);
    } else if (line.startsWith("HTTP/1.1 ")) {
      say("REFUSED", pattern, line);
    } else {
      event[field] = field === "data" && event.data ? `${event.data}\n${value}` : value;
    }
  });
  child.on("close", () => {
    say("LOST");
    setTimeout(subscribe, 200, pattern, id);
  });
}

function onEvent({ event, data }) {
  if (event === "gap" || event === "stale") say("NOTICE", event, data);
  if (event !== undefined && event !== "message") return;
  const { topic, payload, id } = JSON.parse(data);
  say(isRepeated(id) ? "AGAIN" : "MESSAGE", topic, payload);
}

async function publish(rest) {
  const [topic, text] = split(rest);
  const sent = curl(
    "--fail",
    "--header",
    "Content-Type: text/plain",
    "--data-raw",
    text,
    `http://${address}/topics/${topic}`,
  );
  sent.stdout.resume();
  sent.on("close", (status) => say(status === 0 ? "PUBLISHED" : "REFUSED", text, `${status}`));
}

say("OPEN");
follow({ subscribe, publish }, () => {
  for (const child of running) child.kill();
});
