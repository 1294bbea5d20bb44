import type { Cluster, ClusterNode, FiguresAt, Overview } from "../model.js";
import { Figure, Loaded, Missing, Section, State, Title } from "../parts/basic.js";
import { Chart } from "../parts/chart.js";
import { bytes, duration, number, age } from "../format.js";
import { useQuery } from "../query.js";
import type { Query } from "../query.js";

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
      <Alerts cluster={cluster.data} ready={ready} overview={overview.data} />
      <Section title={name ? `Cluster ${name}` : "Node"}>
        <Loaded query={cluster} feature="the list of nodes">
          {({ nodes, node }) => <NodeMap nodes={nodes} asked={node} />}
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

function Alerts(props: {
  readonly cluster: Cluster | undefined;
  readonly ready: Query<Ready>;
  readonly overview: Overview | undefined;
}) {
  const alerts = alertsOf(props.cluster, props.ready, props.overview);
  return (
    <div role="status">
      {alerts.length === 0 ? (
        <p class="text-body-secondary">Nothing requires attention.</p>
      ) : (
        <ul class="list-unstyled">
          {alerts.map((alert) => (
            <li key={alert} class="alert alert-warning py-2 mb-2">
              {alert}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function alertsOf(
  cluster: Cluster | undefined,
  ready: Query<Ready>,
  overview: Overview | undefined,
): string[] {
  const alerts = [];
  if (ready.error) alerts.push(`This node is not ready: ${readiness(ready.error.message)}`);
  for (const { node, broker } of overview?.["by-node"] ?? []) {
    if (broker !== "connected") alerts.push(`Broker connection of ${node}: ${broker}.`);
  }
  for (const { name, state, load } of cluster?.nodes ?? []) {
    if (state !== "up") alerts.push(`Node ${name} is ${state}.`);
    if (load && load["loop-lag-ms"] > MAX_LAG_MS) {
      alerts.push(`Event loops of ${name} have a delay of ${duration(load["loop-lag-ms"])}.`);
    }
  }
  return alerts;
}

function readiness(text: string): string {
  try {
    const { reasons } = JSON.parse(text) as { reasons?: string[] };
    return reasons?.join("; ") ?? text;
  } catch {
    return text;
  }
}

function NodeMap(props: { readonly nodes: readonly ClusterNode[]; readonly asked: string }) {
  const most = Math.max(1, ...props.nodes.map(({ load }) => load?.connections ?? 0));
  return (
    <ul class="node-map list-unstyled m-0">
      {props.nodes.map((node) => (
        <li key={node.name} class="card p-3">
          <NodeCard node={node} most={most} isAsked={node.name === props.asked} />
        </li>
      ))}
    </ul>
  );
}

function NodeCard(props: {
  readonly node: ClusterNode;
  readonly most: number;
  readonly isAsked: boolean;
}) {
  const { name, state, since, version, load } = props.node;
  const adminUrl = props.node["admin-url"];
  return (
    <>
      <div class="d-flex align-items-center gap-2 mb-2">
        <h3 class="h6 m-0 me-auto">
          {name}
          {props.isAsked && <span class="text-body-secondary fw-normal"> (this node)</span>}
        </h3>
        <State of={state} />
      </div>
      {load && (
        <>
          <Bar
            label="Clients"
            text={number(load.connections)}
            share={load.connections / props.most}
          />
          <Bar label="CPU" text={`${number(load.cpu * 100)} %`} share={load.cpu} />
          <div class="d-flex justify-content-between small">
            <span>{number(load["message-rate"])} frames/s</span>
            <span>loop {duration(load["loop-lag-ms"])}</span>
          </div>
          {state === "draining" && (
            <div class="small">{number(load.connections)} clients still to move</div>
          )}
        </>
      )}
      <div class="d-flex justify-content-between small text-body-secondary mt-1">
        <span>
          {state} for {age(since)}
        </span>
        <span>{version}</span>
      </div>
      {!props.isAsked && adminUrl?.startsWith("http") && (
        <a class="small" href={new URL("console/", `${adminUrl}/`).href} rel="noreferrer">
          Console of {name}
        </a>
      )}
    </>
  );
}

function Bar(props: { readonly label: string; readonly text: string; readonly share: number }) {
  const percent = Math.round(Math.min(1, Math.max(0, props.share)) * 100);
  return (
    <div class="mb-2">
      <div class="d-flex justify-content-between small">
        <span>{props.label}</span>
        <span>{props.text}</span>
      </div>
      <div class="progress" style={{ height: "6px" }} aria-hidden="true">
        <div class="progress-bar" style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
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
        <Figure label="Bytes out" value={`${bytes(cluster["bytes-rate"])}/s`} />
        <Figure label="Latency p99" value={duration(cluster["latency-p99-ms"])} />
        <Figure label="Event-loop lag" value={duration(cluster["loop-lag-ms"])} />
      </div>
      <Charts samples={history} />
    </>
  );
}

interface Line {
  readonly label: string;
  readonly of: (sample: FiguresAt) => number;
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
