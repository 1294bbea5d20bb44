// @stomp/stompjs: node stompjs.mjs <host:port> [transport of SockJS]
//
// Each subscription resumes from the position of its last message.
import { Client } from "@stomp/stompjs";
import SockJS from "sockjs-client";
import { WebSocket } from "ws";
import { follow, isRepeated, say, split } from "./lines.mjs";

const [address, transport] = process.argv.slice(2);
const subscriptions = new Map();
let receipts = 0;

const client = new Client({
  webSocketFactory: () =>
    transport
      ? new SockJS(`http://${address}/stomp`, null, { transports: transport })
      : new WebSocket(`ws://${address}/stomp`, ["v12.stomp", "v11.stomp"]),
  reconnectDelay: 200,
  heartbeatIncoming: 10_000,
  heartbeatOutgoing: 10_000,
  onConnect() {
    say("OPEN");
    for (const destination of subscriptions.keys()) subscribe(destination);
  },
  onStompError: (frame) => say("ERROR", frame.headers.message),
  onWebSocketClose: () => say("LOST"),
});

function receipt(then) {
  const id = `r${++receipts}`;
  client.watchForReceipt(id, then);
  return { receipt: id };
}

function subscribe(destination) {
  const state = subscriptions.get(destination);
  const from = state.position === undefined ? {} : { from: state.position };
  const headers = { ...state.headers, ...from, gap: "true" };
  const confirm = receipt(() => say("SUBSCRIBED", destination));
  client.subscribe(destination, (message) => onMessage(state, message), { ...headers, ...confirm });
}

function onMessage(state, message) {
  const { headers, body } = message;
  state.position = headers.position ?? state.position;
  if (headers.gap !== undefined) return say("NOTICE", headers.gap);
  const isAgain = headers.redelivered === "true" || isRepeated(headers["message-id"]);
  say(isAgain ? "AGAIN" : "MESSAGE", headers.destination, body);
  // HOLD stands for work that does not end before the connection is lost.
  const held = !isAgain && body.startsWith("HOLD");
  if (state.headers.ack !== "auto" && !held) message.ack(receipt(() => say("ACKED", body)));
}

follow(
  {
    subscribe(destination) {
      subscriptions.set(destination, { headers: { ack: "auto" } });
      subscribe(destination);
    },
    consume(destination) {
      subscriptions.set(destination, { headers: { ack: "client-individual" } });
      subscribe(destination);
    },
    publish(rest) {
      const [destination, body] = split(rest);
      client.publish({ destination, body, headers: receipt(() => say("PUBLISHED", body)) });
    },
  },
  () => client.deactivate(),
);
client.activate();
