import { number, subject } from "../format.js";
import type { Topic, TopicDetail, TopicSubscription } from "../model.js";
import { Loaded, Missing, Section, Title } from "../parts/basic.js";
import { Table } from "../parts/table.js";
import type { Column } from "../parts/table.js";
import { Tail } from "../parts/tail.js";
import { useQuery } from "../query.js";
import { href } from "../router.js";
import { FIGURES } from "./topics.js";

const EVERY_MS = 5000;

const INTERESTS: readonly Column<Topic>[] = [
  { label: "Node", render: ({ node }) => node ?? "" },
  { label: "Subscription", isLong: true, hidden: "lg", render: nameOf },
  ...FIGURES,
];

function nameOf({ topic, where }: Topic): string {
  return where ? `${topic} where ${where}` : topic;
}

const SUBSCRIBERS: readonly Column<TopicSubscription>[] = [
  { label: "Subject", isLong: true, render: (entry) => subject(entry.subject) },
  {
    label: "Session",
    isLong: true,
    render: ({ session }) => <a href={href(["clients", session])}>{session}</a>,
  },
  { label: "Node", hidden: "sm", render: ({ node }) => node },
  { label: "Subscription", isLong: true, hidden: "lg", render: ({ topic }) => topic },
  { label: "Position", isNumber: true, hidden: "md", render: ({ position }) => number(position) },
  { label: "Lag", isNumber: true, render: ({ lag }) => number(lag) },
  { label: "Selector", isLong: true, hidden: "lg", render: ({ where }) => where ?? "" },
];

/** One topic: its figures by node, its subscribers and its messages. */
export function TopicView(props: { readonly topic: string }) {
  const { topic } = props;
  const query = useQuery<TopicDetail>(`/topics/${encodeURIComponent(topic)}`, EVERY_MS);
  return (
    <>
      <Title text={topic}>
        <a class="btn btn-sm btn-outline-primary" href={href(["why"], { topic })}>
          Why no data?
        </a>
      </Title>
      <Loaded query={query} feature="details of a topic">
        {(data) => (
          <>
            <Missing of={data} />
            <Section title="Nodes">
              <Table
                caption={`Nodes with ${topic}`}
                columns={INTERESTS}
                rows={data.interests}
                rowKey={(entry) => `${entry.node ?? ""} ${nameOf(entry)}`}
                empty="No node subscribes to this topic."
              />
            </Section>
            <Section title="Subscribers">
              <p class="text-body-secondary">
                {number(data.subscriptions.length)} of {number(data.subscribers)} subscriptions
              </p>
              <Table
                caption={`Subscribers of ${topic}`}
                columns={SUBSCRIBERS}
                rows={data.subscriptions}
                rowKey={({ session }, index) => `${session} ${index}`}
                empty="No client subscribes to this topic."
              />
            </Section>
          </>
        )}
      </Loaded>
      <Section title="Live messages">
        <Tail topic={topic} />
      </Section>
    </>
  );
}
