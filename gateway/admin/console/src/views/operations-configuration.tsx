import { useState } from "preact/hooks";
import { request } from "../api.js";
import { Action, OutcomeText } from "../parts/action.js";
import type { Outcome } from "../parts/action.js";
import { Badge, Loaded, Section } from "../parts/basic.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { useQuery } from "../query.js";

const EVERY_MS = 30_000;

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
  /** The file has another value, which applies after a restart or a reload. */
  readonly pending: boolean;
}

interface Effective {
  readonly keys: readonly Entry[];
}

interface Changes {
  readonly applied: readonly string[];
  readonly restart: readonly string[];
  /** Reason for each key of `restart`. */
  readonly reasons: Readonly<Record<string, string>>;
}

const COLUMNS: readonly Column<Entry>[] = [
  { label: "Key", render: ({ key }) => <code>{key}</code> },
  { label: "Value", isLong: true, render: ({ value }) => value },
  { label: "Origin", render: originOf },
];

function originOf({ origin, pending }: Entry) {
  return (
    <>
      {origin} {pending && <Badge tone="warning">changed in the file</Badge>}
    </>
  );
}

/** Effective configuration of the node, and its reload. */
export function ConfigurationSection() {
  const query = useQuery<Effective>("/config", EVERY_MS);
  const [outcome, setOutcome] = useState<Outcome>();
  const [search, setSearch] = useState("");
  return (
    <Section title="Configuration">
      <Action
        label="Reload"
        confirm="Read the configuration file again and apply what has changed?"
        run={reload}
        onOutcome={(result) => {
          setOutcome(result);
          query.refresh();
        }}
      />
      <OutcomeText of={outcome} />
      <div class="mt-3">
        <Loaded query={query} feature="the effective configuration">
          {(data) => (
            <details>
              <summary>Effective configuration</summary>
              <input
                type="search"
                class="form-control form-control-sm my-2"
                aria-label="Search the configuration"
                placeholder="Part of a key or origin"
                value={search}
                onInput={(event) => {
                  setSearch(event.currentTarget.value);
                }}
              />
              <Table
                caption="Effective configuration"
                columns={COLUMNS}
                rows={matching(data, search)}
                rowKey={({ key }) => key}
                empty="No key matches."
              />
            </details>
          )}
        </Loaded>
      </div>
    </Section>
  );
}

function matching(data: Effective, search: string): readonly Entry[] {
  return data.keys.filter(({ key, origin }) => key.includes(search) || origin.includes(search));
}

async function reload(): Promise<string> {
  const { applied, restart, reasons } = (await request("POST", "/reload")) as Changes;
  if (applied.length + restart.length === 0) return "The configuration has not changed.";
  const parts = [];
  if (applied.length > 0) parts.push(`Applied: ${applied.join(", ")}.`);
  if (restart.length > 0) {
    const explained = restart.map((key) => `${key} (${reasons[key] ?? "not explained"})`);
    parts.push(`These keys require a restart: ${explained.join(", ")}.`);
  }
  return parts.join(" ");
}
