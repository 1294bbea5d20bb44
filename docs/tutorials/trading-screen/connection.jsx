import { useClient, useConnectionState } from "@sluice/client/react";

const TEXTS = {
  connecting: "Connecting",
  open: "Live",
  stale: "The node has lost its broker",
  draining: "Moving to another node",
  closed: "Closed",
};

export function Connection() {
  const client = useClient();
  const { status, error, retryAt } = useConnectionState();
  return (
    <p className="connection" data-status={status}>
      {TEXTS[status]}
      {error && ` (${error.message})`}{" "}
      {retryAt !== undefined && <button onClick={() => client.retryNow()}>Retry now</button>}
    </p>
  );
}
