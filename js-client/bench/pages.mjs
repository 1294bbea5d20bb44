// Page scripts of the benchmark: one function per client, which counts messages with their text.
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

const SLUICE = (encoding, compression = false) => `
  import { connect } from "../dist/index.js";
  receive = (port, onText) => {
    const client = connect("ws://127.0.0.1:" + port + "/ws", { encoding: "${encoding}", compression: ${compression} });
    client.subscribe("stocks.7", (message) => onText(message.payload));
    return () => client.close();
  };`;

const SOURCES = {
  "sluice-binary": SLUICE("binary"),
  "sluice-json": SLUICE("json"),
  "books-binary": SLUICE("binary"),
  "books-native": SLUICE("binary"),
  "books-compressed": SLUICE("binary", true),
  centrifuge: `
    import { Centrifuge } from "centrifuge";
    receive = (port, onText) => {
      const client = new Centrifuge("ws://127.0.0.1:" + port);
      const subscription = client.newSubscription("stocks.7");
      subscription.on("publication", ({ data }) => onText(data.text));
      subscription.subscribe();
      client.connect();
      return () => client.disconnect();
    };`,
  nats: `
    import { connect, StringCodec } from "nats.ws";
    receive = (port, onText) => {
      const codec = StringCodec();
      const opened = connect({ servers: "ws://127.0.0.1:" + port }).then((client) => {
        client.subscribe("stocks.7", {
          callback: (error, message) => onText(codec.decode(message.data)),
        });
        return client;
      });
      return () => opened.then((client) => client.close());
    };`,
  "socket.io": `
    import { io } from "socket.io-client";
    receive = (port, onText) => {
      const client = io("http://127.0.0.1:" + port, { transports: ["websocket"] });
      client.on("stocks.7", ({ text }) => onText(text));
      client.on("connect", () => client.emit("subscribe", "stocks.7"));
      return () => client.disconnect();
    };`,
  stomp: `
    import { Client } from "@stomp/stompjs";
    receive = (port, onText) => {
      const client = new Client({ brokerURL: "ws://127.0.0.1:" + port });
      client.onConnect = () => client.subscribe("stocks.7", ({ body }) => onText(body));
      client.activate();
      return () => client.deactivate();
    };`,
};

const MAIN = (source) => `
  let receive;
  ${source}
  globalThis.run = (port, messages) => new Promise((resolve) => {
    let count = 0, characters = 0;
    const stop = receive(port, (text) => {
      characters += text.length;
      if (++count === messages) { stop(); resolve(characters); }
    });
  });`;

/** Names of the clients that are measured by default. */
export const CLIENTS = Object.keys(SOURCES).filter((name) => !name.startsWith("books-"));

const PACKAGES = { nats: "nats.ws", "socket.io": "socket.io-client", stomp: "@stomp/stompjs" };
const ENCODINGS = {
  "sluice-binary": "binary",
  "sluice-json": "JSON",
  "books-binary": "not compressed",
  "books-native": "permessage-deflate",
  "books-compressed": "compressed frames",
};

/** Returns the name of a client in results, with its version. */
export function nameOf(client) {
  if (client in ENCODINGS) return `@sluice/client, ${ENCODINGS[client]}`;
  const name = PACKAGES[client] ?? client;
  const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return `${name} ${JSON.parse(readFileSync(manifest, "utf8")).version}`;
}

/** Returns the page's script for one client. */
export async function bundle(client) {
  const { outputFiles } = await build({
    stdin: { contents: MAIN(SOURCES[client]), resolveDir: HERE, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["crypto"], // Node modules, never reached in a page
    write: false,
  });
  return outputFiles[0].text;
}
