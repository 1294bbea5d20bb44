// Data of a cluster with 10,000 clients and 1,000 topics, in the shape of the admin API.
const HOSTILE = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const NODES = ["gw-1", "gw-2", "gw-3"];
const START = Date.now() - 7_200_000;

export { HOSTILE };

export const topics = Array.from({ length: 1000 }, (_, index) => ({
  topic: index === 0 ? `hostile.${HOSTILE}` : `prices.${index % 7 === 0 ? "eu" : "us"}.${index}`,
  rate: Math.round(50_000 / (index + 1)) / 10,
  "bytes-rate": Math.round(1_200_000 / (index + 1)),
  subscribers: (index * 37) % 500,
  log: 1000,
  "log-bytes": 200_000 + index,
  "log-age-ms": 8300 + index * 10,
  "last-message-ms": Date.now() - index * 100,
  gaps: index % 50 === 0 ? 3 : 0,
  consumer: index === 5 ? "lost" : "active",
}));

export const clients = Array.from({ length: 10_000 }, (_, index) => ({
  node: NODES[index % 3],
  session: `${NODES[index % 3]}-1763700000-${index}`,
  subject: index === 0 ? HOSTILE : index === 7 ? "" : `trader-${index}`,
  mechanism: index === 7 ? "anonymous" : "jwt",
  token: index === 7 ? "" : `8f14e45f-${index}`,
  address: index === 0 ? HOSTILE : `192.0.2.${index % 250}`,
  since: START + index * 500,
  subscriptions: index % 12,
  consumers: index % 2,
  "pending-bytes": index === 4711 ? 8_400_000 : index % 100 === 0 ? 12_000 : 0,
  "rtt-ms": index === 4711 ? 1840 : 10 + (index % 60),
  gaps: index === 4711 ? 12 : 0,
}));

const TOPIC_ORDERS = {
  rate: ({ rate }) => rate,
  bytes: (topic) => topic["bytes-rate"],
  subscribers: ({ subscribers }) => subscribers,
  log: ({ log }) => log,
  "log-age": (topic) => topic["log-age-ms"],
  gaps: ({ gaps }) => gaps,
};

const CLIENT_ORDERS = {
  since: ({ since }) => -since,
  pending: (client) => client["pending-bytes"],
  rtt: (client) => client["rtt-ms"],
  gaps: ({ gaps }) => gaps,
  subscriptions: ({ subscriptions }) => subscriptions,
};

const asked = NODES.map((node) => ({ node, status: "ok" }));

function page(all, query, orders, defaultOrder, textOf) {
  const text = (query.get("search") ?? "").toLowerCase();
  const order = orders[query.get("sort") ?? defaultOrder];
  const found = all.filter((entry) => textOf(entry).toLowerCase().includes(text));
  const offset = Number(query.get("offset") ?? 0);
  const limit = Number(query.get("limit") ?? 100);
  const rows = found.toSorted((a, b) => order(b) - order(a)).slice(offset, offset + limit);
  return { rows, total: found.length };
}

export function topicPage(query) {
  const { rows, total } = page(topics, query, TOPIC_ORDERS, "rate", ({ topic }) => topic);
  return { topics: rows, total, nodes: asked, partial: false };
}

export function clientPage(query) {
  const textOf = ({ subject, address, session }) => `${subject} ${address} ${session}`;
  const { rows, total } = page(clients, query, CLIENT_ORDERS, "since", textOf);
  const nodes = [...asked.slice(0, 2), { node: "gw-3", status: "timeout", error: "no response" }];
  return { clients: rows, total, nodes, partial: true };
}

export function topicDetail(name) {
  const found = topics.find(({ topic }) => topic === name);
  const subscriptions = clients.slice(0, 100).map(({ node, session, subject }, index) => ({
    node,
    session,
    subject,
    topic: index % 3 === 0 ? "prices.>" : name,
    position: 88_210 - index,
    lag: index,
    ...(index % 10 === 0 ? { where: "venue = 'X'" } : {}),
  }));
  const interests = found ? NODES.map((node) => ({ node, ...found })) : [];
  return { topic: name, interests, subscribers: 830, subscriptions, nodes: asked, partial: false };
}

export function clientDetail(session, isTraced) {
  const client = clients.find((entry) => entry.session === session);
  if (!client) return undefined;
  const frames = [
    { at: START, direction: "in", type: "subscribe", topic: "prices.eu.7", bytes: 61 },
    { at: START + 20, direction: "out", type: "subscribed", topic: "prices.eu.7", bytes: 40 },
  ];
  return {
    ...client,
    "credential-expires": START + 86_400_000,
    permissions: { subscribe: ["prices.>", "orders.trader"], publish: [] },
    subscribed: [
      { topic: "prices.eu.7", position: 88_210, lag: 0, gaps: 0, since: START },
      { topic: "prices.us.8", position: 40, lag: 913, gaps: 1, since: START, where: "size > 5" },
    ],
    ...(isTraced ? { "recent-frames": frames } : {}),
    nodes: asked,
    partial: false,
  };
}

export function why(subject, topic) {
  const isRefused = topic.startsWith("orders.");
  const refusal = `this client may not subscribe to "${topic}"`;
  const gap = "1 gap was sent to the subscription, 27 min ago; messages have followed";
  const latest = `the latest message of ${topic} arrived 2 s ago`;
  const step = (name, result, detail) => ({
    step: name,
    result,
    detail,
    node: "gw-1",
    session: "gw-1-1763700000-0",
  });
  const steps = [
    step("session", "ok", "the session is connected"),
    isRefused
      ? step("permission", "problem", refusal)
      : step("permission", "ok", "the client may subscribe"),
    step("limits", "ok", "no limit is reached"),
    step("interest", "ok", "the node subscribes"),
    step("broker-consumer", "ok", "the consumer is active"),
    step("last-message", "ok", latest),
    step("filter", "unknown", "the broker applies the selector"),
    step("gaps", "past", gap),
  ];
  const answer = isRefused
    ? `permission: ${refusal}`
    : `no problem was found; ${latest}; past, gaps: ${gap}`;
  return { subject, topic, steps, answer, nodes: asked, partial: false };
}

export function cluster(state) {
  return {
    cluster: "shop",
    node: "gw-1",
    nodes: NODES.map((name, index) => ({
      name,
      state: name === "gw-1" ? state : "up",
      since: START,
      version: "0.1.0",
      "public-url": `wss://${name}.example.com/ws`,
      "admin-url": `https://${name}.example.com:9090`,
      load: {
        connections: [3400, 3280, 3320][index],
        movable: 3200,
        "message-rate": 98_000 - index * 900,
        cpu: 0.41 + index * 0.1,
        "loop-lag-ms": 1.2,
      },
    })),
  };
}

function figures(share, phase) {
  const wave = 1 + Math.sin(phase / 20) / 10;
  return {
    clients: Math.round(10_000 * share * (0.9 + phase / 3600)),
    "messages-rate": 1000 * wave,
    "frames-rate": Math.round(291_000 * share * wave),
    "bytes-rate": 58_000_000 * share * wave,
    "latency-p50-ms": 0.8,
    "latency-p99-ms": 4.2 * wave,
    "latency-p999-ms": 9 * wave,
    "loop-lag-ms": 0.3 + (phase % 30 === 0 ? 0.4 : 0),
  };
}

const links = {
  "gw-1": [
    { peer: "leaf-1.example.com", topics: 12, behind: 0, "round-trip-ms": 0.4 },
    { peer: HOSTILE, topics: 1000, behind: 1_204_311, "round-trip-ms": 3120 },
  ].map((link) => ({ ...link, as: "root", transport: "multicast" })),
  "gw-2": [{ peer: "gw-1", as: "leaf", transport: "tcp", "round-trip-ms": 82.4 }],
};

/** Samples of an hour, one every 10 s. */
export function overview() {
  const now = Date.now();
  return {
    cluster: figures(1, 360),
    "by-node": NODES.map((node) => ({
      node,
      broker: "connected",
      links: links[node],
      ...figures(1 / 3, 360),
    })),
    history: Array.from({ length: 360 }, (_, index) => ({
      at: now - (359 - index) * 10_000,
      ...figures(1, index + 1),
    })),
    "alerts-url": "https://alerts.example.com/#/alerts",
    nodes: asked,
    partial: false,
  };
}

export const loggers = [
  { logger: "ROOT", level: "warn", changed: false },
  { logger: "io.sluice", level: "info", changed: false },
  { logger: "io.sluice.gateway.hub", level: "debug", changed: true, until: START + 9_000_000 },
];

export const configuration = [
  { key: "node.name", value: "gw-1", origin: "SLUICE_NODE_NAME", pending: false },
  { key: "admin.token", value: "***", origin: "sluice.yaml:9:10", pending: false },
  { key: "server.port", value: "8443", origin: "sluice.yaml:2:9", pending: true },
  { key: "limits.connections", value: "10000", origin: "default", pending: false },
];

export function audit(search) {
  const record = { time: "2026-11-25T17:00:00Z", node: "gw-1", by: "192.0.2.9", with: "token:1" };
  const records = [
    { ...record, event: "commanded", what: "drain", value: "gw-1" },
    { ...record, event: "revoked", kind: "subject", value: HOSTILE },
  ];
  const found = records.filter((each) => JSON.stringify(each).includes(search));
  return { records: found, nodes: asked, partial: false };
}
