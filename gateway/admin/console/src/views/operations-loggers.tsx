import { useState } from "preact/hooks";
import { request } from "../api.js";
import { time } from "../format.js";
import { OutcomeText, outcomeOf } from "../parts/action.js";
import type { Outcome } from "../parts/action.js";
import { Loaded, Section } from "../parts/basic.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { useQuery } from "../query.js";

const EVERY_MS = 10_000;
const LEVELS = ["error", "warn", "info", "debug", "trace", "configured"];
const DURATIONS = [
  ["600", "10 min"],
  ["3600", "1 h"],
  ["86400", "1 d"],
  ["", "until a restart"],
] as const;

interface Logger {
  readonly logger: string;
  readonly level: string;
  readonly until?: number;
}

interface Loggers {
  readonly loggers: readonly Logger[];
}

const COLUMNS: readonly Column<Logger>[] = [
  { label: "Logger", isLong: true, render: ({ logger }) => <code>{logger}</code> },
  { label: "Level", render: ({ level }) => level },
  { label: "Until", hidden: "sm", render: ({ until }) => time(until) },
];

/** Levels of loggers of this node. */
export function LoggersSection() {
  const query = useQuery<Loggers>("/loggers", EVERY_MS);
  return (
    <Section title="Log levels">
      <Loaded query={query} feature="log levels at run time">
        {({ loggers }) => (
          <>
            <Table
              caption="Log levels"
              columns={COLUMNS}
              rows={loggers}
              rowKey={({ logger }) => logger}
            />
            <LevelForm onDone={query.refresh} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function LevelForm(props: { readonly onDone: () => void }) {
  const [logger, setLogger] = useState("io.sluice");
  const [level, setLevel] = useState("debug");
  const [seconds, setSeconds] = useState("600");
  const [outcome, setOutcome] = useState<Outcome>();
  const submit = async () => {
    const isLimited = seconds !== "" && level !== "configured";
    const limit = isLimited ? { for: Number(seconds) } : {};
    const change = { logger: logger.trim(), level, ...limit };
    const changed = (await request("PUT", "/loggers", change)) as Logger;
    props.onDone();
    return `${changed.logger} logs from level ${changed.level}.`;
  };
  return (
    <form
      class="row g-2 align-items-end mt-1"
      onSubmit={(event) => {
        event.preventDefault();
        void outcomeOf(submit).then(setOutcome);
      }}
    >
      <div class="col-12 col-sm-6">
        <label class="form-label mb-1" for="logger">
          Logger
        </label>
        <input
          id="logger"
          class="form-control form-control-sm"
          required
          value={logger}
          onInput={(event) => {
            setLogger(event.currentTarget.value);
          }}
        />
      </div>
      <div class="col-auto">
        <label class="form-label mb-1" for="level">
          Level
        </label>
        <select
          id="level"
          class="form-select form-select-sm"
          value={level}
          onChange={(event) => {
            setLevel(event.currentTarget.value);
          }}
        >
          {LEVELS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div class="col-auto">
        <label class="form-label mb-1" for="level-time">
          For
        </label>
        <select
          id="level-time"
          class="form-select form-select-sm"
          value={seconds}
          onChange={(event) => {
            setSeconds(event.currentTarget.value);
          }}
        >
          {DURATIONS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div class="col-auto">
        <button class="btn btn-sm btn-outline-primary">Set level</button>
      </div>
      <OutcomeText of={outcome} />
    </form>
  );
}
