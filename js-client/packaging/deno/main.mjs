// Receives in a loop, and publishes: main.mjs <ws-url> <topic>
import { connect } from "@sluice/client";

const MESSAGES = 3;
const [url, topic] = globalThis.Deno.args;

const client = connect(url);
let count = 0;
for await (const { payload } of client.messages(topic)) {
  if (payload.length > 0 && ++count === MESSAGES) break;
}
await client.publish("bundlers.echo", "hello");
client.close();
