// Pages of the site: the file in docs/, the address on the site, and the group of the sidebar.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const DOCS = fileURLToPath(new URL("..", import.meta.url));

const GROUPS = [
  {
    text: "Get started",
    pages: {
      "get-started/index.md": "get-started/index",
      "get-started/connect-a-broker.md": "get-started/connect-a-broker",
    },
  },
  {
    text: "Concepts",
    pages: {
      "concepts/offloading.md": "concepts/offloading",
      "concepts/hub-and-shards.md": "concepts/hub-and-shards",
      "concepts/positions-and-gaps.md": "concepts/positions-and-gaps",
      "concepts/durable-topics.md": "concepts/durable-topics",
      "concepts/cluster-and-drain.md": "concepts/cluster-and-drain",
    },
  },
  {
    text: "Tutorials",
    pages: {
      "tutorials/three-nodes.md": "tutorials/three-nodes",
      "tutorials/capacity-planning.md": "tutorials/capacity-planning",
    },
  },
  {
    text: "How-to guides",
    pages: {
      "OPERATIONS.md": "how-to/operations",
      "operations/deploy.md": "how-to/deploy",
      "operations/kubernetes.md": "how-to/kubernetes",
      "operations/reverse-proxies.md": "how-to/reverse-proxies",
      "operations/tls.md": "how-to/tls",
      "IMAGE.md": "how-to/container-image",
      "SECURITY.md": "how-to/security-overview",
      "how-to/security.md": "how-to/security",
      "operations/broker.md": "how-to/broker",
      "operations/cluster.md": "how-to/cluster",
      "operations/sites.md": "how-to/sites",
      "operations/sizing.md": "how-to/sizing",
      "operations/upgrade.md": "how-to/upgrade",
      "how-to/monitoring.md": "how-to/monitoring",
      "operations/incidents.md": "how-to/incidents",
      "CLIENTS.md": "how-to/clients",
      "how-to/load-test.md": "how-to/load-test",
      "BENCH-BROKER.md": "how-to/benchmark-a-broker",
      "how-to/migrate-from-kaazing.md": "how-to/migrate-from-kaazing",
      "how-to/migrate-from-stomp.md": "how-to/migrate-from-stomp",
      "how-to/migrate-from-socket-io.md": "how-to/migrate-from-socket-io",
    },
  },
  {
    text: "Reference",
    pages: {
      "PROTOCOL.md": "reference/protocol",
      "CONFIGURATION.md": "reference/configuration",
      "operations/metrics.md": "reference/metrics",
      "operations/logs.md": "reference/log-events",
      "operations/admin.md": "reference/admin-api",
      "reference/load-test.md": "reference/load-test",
      "reference/bench-broker.md": "reference/bench-broker",
      "reference/broker.md": "reference/broker",
      "reference/security.md": "reference/security",
      "reference/glossary.md": "reference/glossary",
    },
  },
  {
    text: "Internals",
    pages: {
      "ARCHITECTURE.md": "internals/architecture",
      "internals/simulation.md": "internals/simulation",
      "benchmarks/results.md": "internals/benchmarks/results",
      "benchmarks/methodology.md": "internals/benchmarks/methodology",
      "benchmarks/load-test-statistics.md": "internals/benchmarks/load-test-statistics",
      "internals/threat-model.md": "internals/threat-model",
      "security/attacks.md": "internals/attacks",
      "security/testssl.md": "internals/tls-scan",
      "adr/index.md": "internals/adr/index",
    },
  },
];

/** Decision records in the order of their numbers. */
export const DECISIONS = readdirSync(join(DOCS, "adr"))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort()
  .map((name) => `adr/${name}`);

/** File below docs/ → address on the site, without extension. */
export const ADDRESSES = new Map([
  ["index.md", "index"],
  ...GROUPS.flatMap((group) => Object.entries(group.pages)).filter(([file]) =>
    existsSync(join(DOCS, file)),
  ),
  ...DECISIONS.map((file) => [file, `internals/${file.replace(/\.md$/, "")}`]),
]);

export const REWRITES = Object.fromEntries(
  [...ADDRESSES].map(([file, address]) => [file, `${address}.md`]),
);

/** Absolute link to a page: `/concepts/offloading`, and `/get-started/` for an index. */
export function link(address) {
  return `/${address.replace(/(^|\/)index$/, "$1")}`;
}

export function title(file) {
  const heading = /^# (.+)$/m.exec(readFileSync(join(DOCS, file), "utf8"));
  if (!heading) throw new Error(`docs/${file} has no heading of level 1`);
  return heading[1].replaceAll("`", "");
}

export const SIDEBAR = GROUPS.map(({ text, pages }) => ({
  text,
  items: Object.entries(pages)
    .filter(([file]) => ADDRESSES.has(file))
    .map(([file, address]) => ({ text: title(file), link: link(address) })),
})).filter(({ items }) => items.length > 0);
