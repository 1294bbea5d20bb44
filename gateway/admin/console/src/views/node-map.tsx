import { age, duration, number } from "../format.js";
import type { Cluster, ClusterNode, Figures, Overview } from "../model.js";
import { State } from "../parts/basic.js";

/** Node with its current figures of the overview. */
interface ShownNode {
  readonly node: ClusterNode;
  /** Missing if the node did not respond. */
  readonly figures: Figures | undefined;
  /** Reason of a missing response. */
  readonly problem: string | undefined;
}

/** Returns the nodes; without an overview, with the load that they have reported last. */
function shownNodes(cluster: Cluster, overview: Overview | undefined): ShownNode[] {
  return cluster.nodes.map((node) => {
    const figures = overview?.["by-node"].find((each) => each.node === node.name);
    const status = overview?.nodes?.find((each) => each.node === node.name);
    const problem = status && status.status !== "ok" ? (status.error ?? status.status) : undefined;
    const isUnknown = overview !== undefined || node.load === undefined;
    return { node, figures: figures ?? (isUnknown ? undefined : reported(node)), problem };
  });
}

function reported({ load }: ClusterNode): Figures {
  return {
    clients: load?.connections ?? 0,
    "messages-rate": 0,
    "frames-rate": load?.["message-rate"] ?? 0,
    "bytes-rate": 0,
    "loop-lag-ms": load?.["loop-lag-ms"] ?? 0,
  };
}

/** Cards of all nodes with their state and load. */
export function NodeMap(props: {
  readonly cluster: Cluster;
  readonly overview: Overview | undefined;
}) {
  const nodes = shownNodes(props.cluster, props.overview);
  const most = Math.max(1, ...nodes.map(({ figures }) => figures?.clients ?? 0));
  return (
    <ul class="node-map list-unstyled m-0">
      {nodes.map((shown) => (
        <li key={shown.node.name} class="card p-3">
          <NodeCard of={shown} most={most} isAsked={shown.node.name === props.cluster.node} />
        </li>
      ))}
    </ul>
  );
}

function NodeCard(props: {
  readonly of: ShownNode;
  readonly most: number;
  readonly isAsked: boolean;
}) {
  const { node, figures, problem } = props.of;
  const { name, state, since, version, load } = node;
  const adminUrl = node["admin-url"];
  return (
    <>
      <div class="d-flex align-items-center gap-2 mb-2">
        <h3 class="h6 m-0 me-auto">
          {name}
          {props.isAsked && <span class="text-body-secondary fw-normal"> (this node)</span>}
        </h3>
        <State of={state} />
      </div>
      {problem !== undefined && <p class="small mb-2">Load unknown: {problem}</p>}
      {figures && (
        <>
          <Bar
            label="Clients"
            text={number(figures.clients)}
            share={figures.clients / props.most}
          />
          {load && <Bar label="CPU" text={`${number(load.cpu * 100)} %`} share={load.cpu} />}
          <div class="d-flex justify-content-between small">
            <span>{number(figures["frames-rate"])} frames/s</span>
            <span>loop {duration(figures["loop-lag-ms"])}</span>
          </div>
          {state === "draining" && (
            <div class="small">{number(figures.clients)} clients still to move</div>
          )}
        </>
      )}
      <div class="d-flex justify-content-between small text-body-secondary mt-1">
        <span>
          {state.replace("-", " ")} for {age(since)}
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
