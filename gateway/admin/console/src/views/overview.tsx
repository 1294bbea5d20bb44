import type { Cluster, FiguresAt, NodeLink, Overview } from "../model.js";
import { Figure, Loaded, Missing, Section, Title } from "../parts/basic.js";
import { Chart } from "../parts/chart.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { bytes, duration, number } from "../format.js";
import { useQuery } from "../query.js";
import type { Query } from "../query.js";
import { NodeMap } from "./node-map.js";

const EVERY_MS = 5000;
const MAX_LAG_MS = 100;

interface Ready {
  readonly status: string;
}

/** Load and state of the cluster and its nodes. */
export function OverviewView() {
  const cluster = useQuery<Cluster>("/cluster", EVERY_MS);
  const ready = useQuery<Ready>("/health/ready", EVERY_MS);
  const overview = useQuery<Overview>("/overview", EVERY_MS);
  const name = cluster.data?.cluster;
  return (
    <>
      <Title text="Overview" />
      <Conditions cluster={cluster.data} ready={ready} overview={overview.data} />
      <AlertsLink url={overview.data?.["alerts-url"]} />
      <Section title={name ? `Cluster ${name}` : "Node"}>
        <Loaded query={cluster} feature="the list of nodes">
          {(data) => <NodeMap cluster={data} overview={overview.data} />}
        </Loaded>
      </Section>
      <Section title={name ? "Load of the cluster" : "Load of the node"}>
        <Loaded query={overview} feature="figures of the last hour">
          {(data) => <Load of={data} />}
        </Loaded>
      </Section>
    </>
  );
}

/** Link to the page with the firing alerts, if one is configured. */
function AlertsLink(props: { readonly url: string | undefined }) {
  if (props.url === undefined) return null;
  return (
    <p>
      <a href={props.url} target="_blank" rel="noopener noreferrer">
        Alerts
      </a>
    </p>
  );
}

/** Conditions of the nodes that require attention. */
function Conditions(props: {
  readonly cluster: Cluster | undefined;
  readonly ready: Query<Ready>;
  readonly overview: Overview | undefined;
}) {
  const conditions = conditionsOf(props.cluster, props.ready, props.overview);
  return (
    <div role="status">
      {conditions.length === 0 ? (
        <p class="text-body-secondary">No node requires attention.</p>
      ) : (
        <ul class="list-unstyled">
          {conditions.map((condition) => (
            <li key={condition} class="alert alert-warning py-2 mb-2">
              {condition}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function conditionsOf(
  cluster: Cluster | undefined,
  ready: Query<Ready>,
  overview: Overview | undefined,
): string[] {
  const conditions = [];
  if (ready.error) conditions.push(`This node is not ready: ${readiness(ready.error.message)}`);
  for (const { name, state } of cluster?.nodes ?? []) {
    if (state === "broker-lost") conditions.push(`Node ${name} has lost its broker.`);
    else if (state !== "up") conditions.push(`Node ${name} is ${state}.`);
  }
  for (const figures of overview?.["by-node"] ?? []) {
    const { node, broker } = figures;
    if (broker !== "connected") conditions.push(`Broker connection of ${node}: ${broker}.`);
    if (figures["loop-lag-ms"] > MAX_LAG_MS) {
      conditions.push(
        `Event loops of ${node} have a delay of ${duration(figures["loop-lag-ms"])}.`,
      );
    }
  }
  return conditions;
}

function readiness(text: string): string {
  try {
    const { reasons } = JSON.parse(text) as { reasons?: string[] };
    return reasons?.join("; ") ?? text;
  } catch {
    return text;
  }
}

function Load(props: { readonly of: Overview }) {
  const { cluster, history } = props.of;
  return (
    <>
      <Missing of={props.of} />
      <div class="row row-cols-2 row-cols-md-3 row-cols-xl-6 g-2 mb-3">
        <Figure label="Clients" value={number(cluster.clients)} />
        <Figure label="Messages in" value={`${number(cluster["messages-rate"])}/s`} />
        <Figure label="Frames out" value={`${number(cluster["frames-rate"])}/s`} />
        <Figure label="Frame bytes out" value={`${bytes(cluster["bytes-rate"])}/s`} />
        <Figure label="Latency p99, 1 min" value={duration(cluster["latency-p99-ms"])} />
        <Figure label="Event-loop lag" value={duration(cluster["loop-lag-ms"])} />
      </div>
      <Links of={props.of} />
      <Charts samples={history} />
    </>
  );
}

interface LinkOfNode extends NodeLink {
  readonly node: string;
}

const rootOf = (link: LinkOfNode) => (link.as === "root" ? link.node : link.peer);

const LINKS: readonly Column<LinkOfNode>[] = [
  { label: "Root", isLong: true, render: rootOf },
  { label: "Leaf", isLong: true, render: (link) => (link.as === "root" ? link.peer : link.node) },
  { label: "Transport", hidden: "sm", render: ({ transport }) => transport },
  { label: "Topics", isNumber: true, hidden: "sm", render: ({ topics }) => ofRoot(topics) },
  { label: "Behind", isNumber: true, render: ({ behind }) => ofRoot(behind) },
  { label: "Round trip", isNumber: true, render: (link) => duration(link["round-trip-ms"]) },
];

function ofRoot(figure: number | undefined): string {
  return figure === undefined ? "" : number(figure);
}

/** Links between nodes of different tiers, with their lag, by root. */
function Links(props: { readonly of: Overview }) {
  const links = props.of["by-node"]
    .flatMap(({ node, links = [] }) => links.map((link) => ({ node, ...link })))
    .sort((one, other) => rootOf(one).localeCompare(rootOf(other)));
  if (links.length === 0) return null;
  return (
    <div class="mb-3">
      <h3 class="h6">Links to other nodes</h3>
      <Table
        caption="Links to other nodes"
        columns={LINKS}
        rows={links}
        rowKey={(_, index) => String(index)}
      />
    </div>
  );
}

interface Line {
  readonly label: string;
  readonly of: (sample: FiguresAt) => number | undefined;
}

interface Plot {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

const PLOTS: readonly Plot[] = [
  {
    title: "Clients",
    lines: [{ label: "clients", of: ({ clients }) => clients }],
    format: number,
  },
  {
    title: "Rates per second",
    lines: [
      { label: "frames out", of: (sample) => sample["frames-rate"] },
      { label: "messages in", of: (sample) => sample["messages-rate"] },
    ],
    format: number,
  },
  {
    title: "Latency from broker to socket",
    lines: [
      { label: "p50", of: (sample) => sample["latency-p50-ms"] },
      { label: "p99", of: (sample) => sample["latency-p99-ms"] },
    ],
    format: duration,
  },
  {
    title: "Event-loop lag",
    lines: [{ label: "median", of: (sample) => sample["loop-lag-ms"] }],
    format: duration,
  },
];

function Charts(props: { readonly samples: readonly FiguresAt[] }) {
  const { samples } = props;
  if (samples.length < 2) {
    return <p class="text-body-secondary">Charts start with the second sample, after 20 s.</p>;
  }
  const times = samples.map(({ at }) => at);
  return (
    <div class="row row-cols-1 row-cols-lg-2 g-3">
      {PLOTS.map(({ title, lines, format }) => (
        <div key={title} class="col">
          <Chart
            title={title}
            times={times}
            series={lines.map(({ label, of }) => ({ label, values: samples.map(of) }))}
            format={format}
          />
        </div>
      ))}
    </div>
  );
}
