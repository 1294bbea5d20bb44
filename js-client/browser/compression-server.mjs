// Server of CompressionComparison: `ws` with permessage-deflate. Sends each line of standard input
// (base64) to all clients. Usage: compression-server.mjs PORT context|alone
import { createInterface } from "node:readline";
import { WebSocket, WebSocketServer } from "ws";

const [port, kind] = process.argv.slice(2);
const server = new WebSocketServer({
  host: "127.0.0.1",
  port: Number(port),
  perMessageDeflate: { threshold: 0, serverNoContextTakeover: kind === "alone" },
});
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = Buffer.from(line, "base64");
  for (const client of server.clients) {
    if (client.readyState === WebSocket.OPEN) client.send(message);
  }
});
