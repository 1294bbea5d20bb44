import { age, bytes, duration, number } from "../format.js";
import type { Topic } from "../model.js";
import { State } from "../parts/basic.js";
import { ListView } from "../parts/list.js";
import type { Column } from "../parts/table.js";
import { href } from "../router.js";
import type { Route } from "../router.js";

/** Columns of a topic's figures. */
export const FIGURES: readonly Column<Topic>[] = [
  { label: "Rate", sort: "rate", isNumber: true, render: ({ rate }) => `${number(rate)}/s` },
  {
    label: "Payload",
    sort: "bytes",
    isNumber: true,
    hidden: "md",
    render: (topic) => `${bytes(topic["bytes-rate"])}/s`,
  },
  {
    label: "Subscribers",
    sort: "subscribers",
    isNumber: true,
    render: ({ subscribers }) => number(subscribers),
  },
  {
    label: "Log (memory)",
    sort: "log",
    isNumber: true,
    hidden: "md",
    render: (topic) => `${number(topic.log)} (${bytes(topic["log-bytes"])})`,
  },
  {
    label: "Log age",
    sort: "log-age",
    isNumber: true,
    hidden: "lg",
    render: (topic) => duration(topic["log-age-ms"]),
  },
  { label: "Gaps", sort: "gaps", isNumber: true, hidden: "sm", render: ({ gaps }) => number(gaps) },
  {
    label: "Last message",
    isNumber: true,
    hidden: "lg",
    render: (topic) => age(topic["last-message-ms"]),
  },
  { label: "Consumer", hidden: "sm", render: ({ consumer }) => <State of={consumer} /> },
];

const COLUMNS: readonly Column<Topic>[] = [
  {
    label: "Topic",
    isLong: true,
    render: ({ topic, where }) => (
      <>
        <a href={href(["topics", topic])}>{topic}</a>
        {where && ` where ${where}`}
      </>
    ),
  },
  ...FIGURES,
];

/** A message of several interests counts once in the first kind only. */
const KINDS = [
  ["", "Topics"],
  ["pattern", "Patterns"],
  ["all", "All interests"],
] as const;

/** List of topics with search and order. */
export function TopicsView(props: { readonly route: Route }) {
  return (
    <ListView<Topic>
      route={props.route}
      member="topics"
      title="Topics"
      placeholder="Part of a topic"
      empty="No topic matches."
      defaultSort="rate"
      kinds={KINDS}
      columns={COLUMNS}
      rowKey={({ topic, where }) => `${topic} ${where ?? ""}`}
    />
  );
}
