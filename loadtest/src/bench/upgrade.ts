// Peer of waves.c and storm.c: µWebSockets, as embedded in Bun. Each client subscribes to a topic and receives a small
// answer. With RATE, each of the TOPICS receives that many messages of BYTES per second, in the form of "sluice feed".
//
//   npx bun upgrade.ts PORT [TOPICS RATE BYTES]
//   waves -x PID -p PORT -P '' -s '{"subscribe":"stocks.{t}"}'
const [port = 0, topics = 100, rate = 0, bytes = 512] = process.argv.slice(2).map(Number);

const server = Bun.serve({
  port,
  hostname: "127.0.0.1",
  fetch(request, server) {
    return server.upgrade(request) ? undefined : new Response("not found", { status: 404 });
  },
  websocket: {
    idleTimeout: 0,
    message(socket, message) {
      const { subscribe } = JSON.parse(String(message));
      socket.subscribe(subscribe);
      socket.send(JSON.stringify({ type: "subscribed", topic: subscribe }));
    },
  },
});

const padding = "x".repeat(bytes);
const start = performance.now();
let published = 0;

function publishDue(): void {
  const due = Math.floor(((performance.now() - start) / 1000) * rate * topics);
  for (; published < due; published++) {
    const stamp = `TS=${BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6))} `;
    server.publish(`stocks.${published % topics}`, stamp + padding.slice(stamp.length));
  }
}

if (rate > 0) {
  setInterval(publishDue, 1);
}
