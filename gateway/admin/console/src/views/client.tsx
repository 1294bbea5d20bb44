import { useState } from "preact/hooks";
import { ApiError, request } from "../api.js";
import { bytes, duration, number, subject, time } from "../format.js";
import type { ClientDetail, ClientSubscription, RecentFrame } from "../model.js";
import { Action, OutcomeText } from "../parts/action.js";
import type { Outcome } from "../parts/action.js";
import { Loaded, Missing, Properties, Section, Title } from "../parts/basic.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { useQuery } from "../query.js";
import { href } from "../router.js";

const EVERY_MS = 5000;
const TRACE_SECONDS = 60;

const SUBSCRIPTIONS: readonly Column<ClientSubscription>[] = [
  {
    label: "Topic",
    isLong: true,
    render: ({ topic }) => <a href={href(["topics", topic])}>{topic}</a>,
  },
  { label: "Position", isNumber: true, hidden: "sm", render: ({ position }) => number(position) },
  { label: "Lag", isNumber: true, render: ({ lag }) => number(lag) },
  { label: "Gaps", isNumber: true, render: ({ gaps }) => number(gaps) },
  { label: "Selector", isLong: true, hidden: "md", render: ({ where }) => where ?? "" },
  { label: "Since", hidden: "md", render: ({ since }) => time(since) },
];

const FRAMES: readonly Column<RecentFrame>[] = [
  { label: "Time", render: ({ at }) => time(at) },
  { label: "Direction", render: ({ direction }) => direction },
  { label: "Type", render: ({ type }) => type },
  { label: "Topic", render: ({ topic }) => topic ?? "" },
  { label: "Payload bytes", isNumber: true, render: (frame) => number(frame.bytes) },
];

interface Done {
  readonly done: boolean;
}

/** One client: its credential, permissions, subscriptions and frames, and its actions. */
export function ClientView(props: { readonly session: string }) {
  const { session } = props;
  const query = useQuery<ClientDetail>(`/clients/${encodeURIComponent(session)}`, EVERY_MS);
  return (
    <>
      <Title text={query.data ? subject(query.data.subject) : session} />
      <Loaded query={query} feature="details of a client">
        {(client) => (
          <>
            <Missing of={client} />
            <Actions client={client} onDone={query.refresh} />
            <Summary client={client} />
            <Permissions of={client.permissions} />
            <Section title="Subscriptions">
              <Table
                caption="Subscriptions"
                columns={SUBSCRIPTIONS}
                rows={client.subscribed}
                rowKey={({ topic }, index) => `${topic} ${index}`}
                empty="The client has no subscriptions."
              />
            </Section>
            <Frames of={client["recent-frames"]} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Actions(props: { readonly client: ClientDetail; readonly onDone: () => void }) {
  const [outcome, setOutcome] = useState<Outcome>();
  const { client } = props;
  const name = subject(client.subject);
  const path = `/clients/${encodeURIComponent(client.session)}`;
  const done = (result: Outcome) => {
    setOutcome(result);
    props.onDone();
  };
  return (
    <div class="mb-4">
      <div class="d-flex flex-wrap gap-2">
        <Action
          label="Trace"
          run={async () => {
            await request("POST", `${path}/trace`, { seconds: TRACE_SECONDS });
            return `Frames are recorded for ${TRACE_SECONDS} s.`;
          }}
          onOutcome={done}
        />
        <Action
          label="Redirect"
          confirm={`Move the session of ${name} to another node?`}
          run={async () => {
            const { done } = (await request("POST", `${path}/redirect`, {})) as Done;
            return done
              ? "The client is moved to another node."
              : "The client follows no redirect now, or was redirected recently.";
          }}
          onOutcome={done}
        />
        <Action
          label="Disconnect"
          isDangerous
          confirm={`End the session of ${name}? The client may connect again.`}
          run={async () => {
            await disconnect(path, client.session);
            return "The session has ended.";
          }}
          onOutcome={done}
        />
        {client.token !== "" && (
          <Action
            label="Revoke token"
            isDangerous
            confirm={`Revoke the credential ${client.token}? Its sessions end.`}
            run={() => revoke(revocationOf(client))}
            onOutcome={done}
          />
        )}
        {client.subject !== "" && (
          <Action
            label="Revoke subject"
            isDangerous
            confirm={`Revoke all credentials of ${name} that were issued until now?`}
            run={() => revoke({ subject: client.subject })}
            onOutcome={done}
          />
        )}
      </div>
      <OutcomeText of={outcome} />
    </div>
  );
}

/** Ends a session; nodes without the command end it by an order of revocation. */
async function disconnect(path: string, session: string): Promise<void> {
  try {
    await request("POST", `${path}/disconnect`, {});
  } catch (cause) {
    if (!(cause instanceof ApiError) || !cause.isMissing) throw cause;
    await request("POST", "/revocations", { session });
  }
}

function revocationOf(client: ClientDetail): Record<string, unknown> {
  const expires = client["credential-expires"];
  const kind = client.mechanism === "certificate" ? "certificate" : "token";
  return { [kind]: client.token, ...(expires === undefined ? {} : { expires }) };
}

async function revoke(order: Record<string, unknown>): Promise<string> {
  const { closed } = (await request("POST", "/revocations", order)) as { closed: number };
  return `The credential is revoked; sessions closed: ${number(closed)}.`;
}

function Summary(props: { readonly client: ClientDetail }) {
  const { client } = props;
  return (
    <Section title="Connection">
      <Properties
        of={[
          ["Session", client.session],
          ["Node", client.node],
          ["Address", client.address],
          ["Connected since", time(client.since)],
          ["Credential", client.mechanism],
          ["Token", client.token],
          [
            "Credential expires",
            client["credential-expires"] && time(client["credential-expires"]),
          ],
          ["Pending, not sent", bytes(client["pending-bytes"])],
          ["Round trip", duration(client["rtt-ms"])],
          ["Gaps", number(client.gaps)],
          ["Queue consumers", number(client.consumers)],
        ]}
      />
    </Section>
  );
}

function Permissions(props: { readonly of: Readonly<Record<string, unknown>> }) {
  return (
    <Section title="Effective permissions">
      <Properties
        of={Object.entries(props.of).map(([name, value]) => [name, permissionText(value)] as const)}
      />
    </Section>
  );
}

function permissionText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "nothing" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Frames(props: { readonly of: readonly RecentFrame[] | undefined }) {
  if (!props.of) return null;
  return (
    <Section title="Recent frames">
      <Table
        caption="Recent frames"
        columns={FRAMES}
        rows={props.of}
        rowKey={({ at }, index) => `${at} ${index}`}
        empty="No frame since the trace started."
      />
    </Section>
  );
}
