import { age, bytes, duration, number, subject } from "../format.js";
import type { Client } from "../model.js";
import { ListView } from "../parts/list.js";
import type { Column } from "../parts/table.js";
import { href } from "../router.js";
import type { Route } from "../router.js";

const COLUMNS: readonly Column<Client>[] = [
  {
    label: "Subject",
    isLong: true,
    render: (client) => <a href={href(["clients", client.session])}>{subject(client.subject)}</a>,
  },
  { label: "Address", hidden: "sm", render: ({ address }) => address },
  { label: "Session", isLong: true, hidden: "xl", render: ({ session }) => session },
  { label: "Node", hidden: "lg", render: ({ node }) => node },
  { label: "Credential", hidden: "lg", render: ({ mechanism }) => mechanism },
  {
    label: "Subscriptions",
    sort: "subscriptions",
    isNumber: true,
    hidden: "md",
    render: ({ subscriptions }) => number(subscriptions),
  },
  {
    label: "Pending",
    sort: "pending",
    isNumber: true,
    render: (client) => bytes(client["pending-bytes"]),
  },
  {
    label: "Round trip",
    sort: "rtt",
    isNumber: true,
    render: (client) => duration(client["rtt-ms"]),
  },
  { label: "Gaps", sort: "gaps", isNumber: true, render: ({ gaps }) => number(gaps) },
  {
    label: "Connected for",
    sort: "since",
    isNumber: true,
    hidden: "md",
    render: ({ since }) => age(since),
  },
];

/** List of clients with search and order. */
export function ClientsView(props: { readonly route: Route }) {
  return (
    <ListView<Client>
      route={props.route}
      member="clients"
      title="Clients"
      placeholder="Part of a subject, address or session"
      empty="No client matches."
      defaultSort="since"
      columns={COLUMNS}
      rowKey={({ session }) => session}
    />
  );
}
