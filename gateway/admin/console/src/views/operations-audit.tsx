import { useState } from "preact/hooks";
import { withQuery } from "../api.js";
import { time } from "../format.js";
import type { Merged } from "../model.js";
import { Loaded, Missing, Section } from "../parts/basic.js";
import { Search } from "../parts/search.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { useQuery } from "../query.js";

const EVERY_MS = 10_000;
const LIMIT = 100;

type Record = Readonly<globalThis.Record<string, unknown>>;

interface Audit extends Merged {
  readonly records: readonly Record[];
}

const FIRST = new Set(["at", "time", "event", "node"]);

const COLUMNS: readonly Column<Record>[] = [
  { label: "Time", render: timeOf },
  { label: "Event", render: ({ event }) => textOf(event) },
  { label: "Node", hidden: "md", render: ({ node }) => textOf(node) },
  { label: "Details", isLong: true, render: detailsOf },
];

function timeOf({ at, time: text }: Record): string {
  return typeof at === "number" ? time(at) : textOf(text ?? at);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function detailsOf(record: Record): string {
  return Object.entries(record)
    .filter(([name]) => !FIRST.has(name))
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join("  ");
}

/** Latest records of the audit logs. */
export function AuditSection() {
  const [search, setSearch] = useState("");
  const query = useQuery<Audit>(withQuery("/audit", { search, limit: LIMIT }), EVERY_MS);
  return (
    <Section title="Audit">
      {!query.error?.isMissing && (
        <Search
          label="Search the audit records"
          placeholder="Part of a record"
          value={search}
          onSearch={setSearch}
        />
      )}
      <Loaded query={query} feature="a search of audit records">
        {(data) => (
          <>
            <Missing of={data} />
            <Table
              caption="Audit records"
              columns={COLUMNS}
              rows={data.records}
              rowKey={(_, index) => String(index)}
              empty="No record matches."
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}
