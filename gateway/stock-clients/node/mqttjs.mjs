// mqtt.js: node mqttjs.mjs <host:port> <3|5> [<path>]
import mqtt from "mqtt";
import { follow, say, split } from "./lines.mjs";

const [address, version = "5", path = "/mqtt"] = process.argv.slice(2);
const filters = [];
const client = mqtt.connect(`ws://${address}${path}`, {
  protocolVersion: version === "5" ? 5 : 4,
  clean: true,
  reconnectPeriod: 200,
  resubscribe: false,
});

client.on("connect", ({ sessionPresent }) => {
  say("OPEN");
  // A new session: messages since the last one of the old session may be missing.
  if (!sessionPresent && filters.length > 0) say("NOTICE", "new session");
  filters.forEach(subscribe);
});
client.on("close", () => say("LOST"));
client.on("error", (error) => say("ERROR", error.message));
client.on("message", (topic, payload, packet) => {
  say(packet.dup ? "AGAIN" : "MESSAGE", topic, payload);
});

async function subscribe(filter) {
  const granted = await client.subscribeAsync(filter, { qos: 1 });
  for (const { qos } of granted) say(qos > 2 ? "REFUSED" : "SUBSCRIBED", filter);
}

follow(
  {
    subscribe(filter) {
      filters.push(filter);
      return subscribe(filter);
    },
    async publish(rest) {
      const [topic, text] = split(rest);
      await client.publishAsync(topic, text, { qos: 1 });
      say("PUBLISHED", text);
    },
  },
  () => client.endAsync(),
);
