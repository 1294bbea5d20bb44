import { useState } from "preact/hooks";
import { request } from "../api.js";
import { age, number } from "../format.js";
import type { Cluster, ClusterNode } from "../model.js";
import { Action, OutcomeText } from "../parts/action.js";
import type { Outcome } from "../parts/action.js";
import { Loaded, Section, State } from "../parts/basic.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { useQuery } from "../query.js";

const EVERY_MS = 2000;

const COLUMNS: readonly Column<ClusterNode>[] = [
  { label: "Node", render: ({ name }) => name },
  { label: "State", render: ({ state }) => <State of={state} /> },
  { label: "For", hidden: "sm", isNumber: true, render: ({ since }) => age(since) },
  { label: "Clients", isNumber: true, render: ({ load }) => number(load?.connections) },
  { label: "Movable", hidden: "sm", isNumber: true, render: ({ load }) => number(load?.movable) },
  { label: "Version", hidden: "md", render: ({ version }) => version },
];

interface Command {
  readonly connections: number;
  readonly moves?: number;
}

/** Nodes of the cluster; commands apply to the node that serves the console. */
export function NodesSection() {
  const query = useQuery<Cluster>("/cluster", EVERY_MS);
  const [outcome, setOutcome] = useState<Outcome>();
  return (
    <Section title="Nodes">
      <Loaded query={query} feature="the list of nodes">
        {({ node, nodes }) => (
          <>
            <Table caption="Nodes" columns={COLUMNS} rows={nodes} rowKey={({ name }) => name} />
            <Drain of={nodes.find(({ name }) => name === node)} />
            <Commands
              node={node}
              isDraining={nodes.some(({ name, state }) => name === node && state === "draining")}
              onOutcome={(result) => {
                setOutcome(result);
                query.refresh();
              }}
            />
          </>
        )}
      </Loaded>
      <OutcomeText of={outcome} />
    </Section>
  );
}

/** Progress of a drain: clients that remain, of those at the first sight of the drain. */
function Drain(props: { readonly of: ClusterNode | undefined }) {
  const [first, setFirst] = useState(0);
  const { of: node } = props;
  if (node?.state !== "draining" || !node.load) return null;
  const left = node.load.connections;
  if (left > first) setFirst(left);
  const most = Math.max(first, left, 1);
  return (
    <div class="mt-2">
      <label class="small" for="drain">
        {node.name} drains: {number(left)} clients still to move
      </label>
      <progress id="drain" class="d-block w-100" max={most} value={most - left} />
    </div>
  );
}

function Commands(props: {
  readonly node: string;
  readonly isDraining: boolean;
  readonly onOutcome: (outcome: Outcome) => void;
}) {
  const { node, isDraining, onOutcome } = props;
  return (
    <div class="d-flex flex-wrap gap-2 mt-2">
      {isDraining ? (
        <Action
          label={`Undrain ${node}`}
          confirm={`Let ${node} accept clients again?`}
          run={async () => {
            await request("POST", "/undrain", { node });
            return `${node} accepts clients again.`;
          }}
          onOutcome={onOutcome}
        />
      ) : (
        <Action
          label={`Drain ${node}`}
          isDangerous
          confirm={`Move all clients of ${node} to other nodes? It accepts no new clients.`}
          run={async () => {
            const { connections } = (await request("POST", "/drain", { node })) as Command;
            return `${node} drains; clients to move: ${number(connections)}.`;
          }}
          onOutcome={onOutcome}
        />
      )}
      <Action
        label={`Rebalance ${node}`}
        confirm={`Move the excess clients of ${node} to other nodes?`}
        run={async () => {
          const { moves = 0 } = (await request("POST", "/rebalance", { node })) as Command;
          return `Clients that move to other nodes: ${number(moves)}.`;
        }}
        onOutcome={onOutcome}
      />
    </div>
  );
}
