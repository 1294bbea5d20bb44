import { useState } from "preact/hooks";
import { request } from "../api.js";
import { number, time } from "../format.js";
import type { Revocation, Revocations } from "../model.js";
import { Action, OutcomeText, outcomeOf } from "../parts/action.js";
import type { Outcome } from "../parts/action.js";
import { Loaded, Section } from "../parts/basic.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { useQuery } from "../query.js";

const EVERY_MS = 10_000;
const KINDS = ["subject", "token", "certificate"] as const;

function kindOf(revocation: Revocation): (typeof KINDS)[number] {
  return KINDS.find((kind) => revocation[kind] !== undefined) ?? "subject";
}

function valueOf(revocation: Revocation): string {
  return revocation[kindOf(revocation)] ?? "";
}

function columns(onOutcome: (outcome: Outcome) => void): readonly Column<Revocation>[] {
  return [
    { label: "Kind", render: kindOf },
    { label: "Value", isLong: true, render: valueOf },
    { label: "Since", hidden: "md", render: ({ since }) => time(since) },
    { label: "Until", hidden: "sm", render: ({ until }) => time(until) },
    {
      label: "Action",
      render: (revocation) => (
        <Action
          label="Restore"
          confirm={`Remove the revocation of ${kindOf(revocation)} ${valueOf(revocation)}?`}
          run={async () => {
            const value = encodeURIComponent(valueOf(revocation));
            await request("DELETE", `/revocations/${kindOf(revocation)}/${value}`);
            return "The revocation is removed.";
          }}
          onOutcome={onOutcome}
        />
      ),
    },
  ];
}

/** Revoked credentials. */
export function RevocationsSection() {
  const query = useQuery<Revocations>("/revocations", EVERY_MS);
  const [outcome, setOutcome] = useState<Outcome>();
  const done = (result: Outcome) => {
    setOutcome(result);
    query.refresh();
  };
  return (
    <Section title="Revocations">
      <Loaded query={query} feature="revocations">
        {({ revocations, total }) => (
          <>
            <p class="text-body-secondary">
              {number(revocations.length)} of {number(total)} revocations
            </p>
            <Table
              caption="Revocations"
              columns={columns(done)}
              rows={revocations}
              rowKey={(revocation) => `${kindOf(revocation)} ${valueOf(revocation)}`}
              empty="Nothing is revoked."
            />
            <RevokeForm onOutcome={done} />
          </>
        )}
      </Loaded>
      <OutcomeText of={outcome} />
    </Section>
  );
}

function RevokeForm(props: { readonly onOutcome: (outcome: Outcome) => void }) {
  const [kind, setKind] = useState("subject");
  const [value, setValue] = useState("");
  const submit = async () => {
    const order = { [kind]: value.trim() };
    const { closed } = (await request("POST", "/revocations", order)) as { closed: number };
    setValue("");
    return `The ${kind} is revoked; sessions closed: ${number(closed)}.`;
  };
  return (
    <form
      class="row g-2 align-items-end mt-1"
      onSubmit={(event) => {
        event.preventDefault();
        void outcomeOf(submit).then(props.onOutcome);
      }}
    >
      <div class="col-auto">
        <label class="form-label mb-1" for="revoke-kind">
          Kind
        </label>
        <select
          id="revoke-kind"
          class="form-select form-select-sm"
          value={kind}
          onChange={(event) => {
            setKind(event.currentTarget.value);
          }}
        >
          {KINDS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div class="col-12 col-sm-6">
        <label class="form-label mb-1" for="revoke-value">
          Value
        </label>
        <input
          id="revoke-value"
          class="form-control form-control-sm"
          required
          value={value}
          onInput={(event) => {
            setValue(event.currentTarget.value);
          }}
        />
      </div>
      <div class="col-auto">
        <button class="btn btn-sm btn-outline-danger">Revoke</button>
      </div>
    </form>
  );
}
