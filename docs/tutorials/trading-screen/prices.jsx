import { useMessages } from "@sluice/client/react";
import { useEffect, useReducer } from "react";
import { PriceRow } from "./price-row.jsx";

const MAX_AGE_MS = 2_000;
const { compare } = new Intl.Collator("en", { numeric: true });

const topicOf = ({ topic }) => topic;

export function Prices() {
  const { messages, gap, error } = useMessages("stocks.>", {
    from: "snapshot",
    rate: 2,
    keep: 500,
    by: topicOf,
    payload: "json",
  });
  useTick(1_000);

  if (error) return <p role="alert">No prices: {error.message}</p>;
  const rows = [...messages].sort((one, other) => compare(one.topic, other.topic));
  return (
    <>
      {gap && <p role="status">Updates may be missing ({gap.reason}).</p>}
      <table>
        <thead>
          <tr>
            <th>Symbol</th>
            <th>Name</th>
            <th className="number">Price</th>
            <th className="number">Change</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((message) => (
            <PriceRow key={message.topic} message={message} isStale={message.age > MAX_AGE_MS} />
          ))}
        </tbody>
      </table>
    </>
  );
}

// Renders at intervals, because ages also change without a message.
function useTick(intervalMs) {
  const [, tick] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}
