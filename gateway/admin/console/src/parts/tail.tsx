import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.js";
import { readEvents } from "../events.js";
import { bytes, number, time } from "../format.js";
import type { ServerEvent } from "../events.js";
import { Problem } from "./basic.js";

const MAX_SHOWN = 100;

interface Shown {
  readonly id: number;
  readonly text: string;
}

/** Latest messages of a topic, newest first, after the operator starts them. */
export function Tail(props: { readonly topic: string }) {
  const [isRunning, setRunning] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const [error, setError] = useState("");
  const count = useRef(0);
  useEffect(() => {
    if (!isRunning) return;
    const aborts = new AbortController();
    const onEvent = (event: ServerEvent) => {
      if (event.type === "end") {
        setError(`The node has ended the live messages: ${reasonOf(event)}.`);
        return;
      }
      const entry = { id: ++count.current, text: describe(event) };
      setShown((old) => [entry, ...old].slice(0, MAX_SHOWN));
    };
    const path = `/topics/${encodeURIComponent(props.topic)}/tail`;
    const onOpen = () => {
      setOpen(true);
    };
    readEvents(path, aborts.signal, onOpen, onEvent)
      .catch((cause: unknown) => {
        if (!aborts.signal.aborted) setError(textOf(cause));
      })
      .finally(() => {
        setRunning(false);
        setOpen(false);
      });
    return () => {
      aborts.abort();
    };
  }, [isRunning, props.topic]);
  return (
    <>
      {error !== "" && <Problem>{error}</Problem>}
      <button
        type="button"
        class="btn btn-sm btn-outline-primary mb-2"
        onClick={() => {
          setError("");
          setRunning(!isRunning);
        }}
      >
        {isRunning ? "Stop" : "Show live messages"}
      </button>
      <p class="small text-body-secondary">
        The node limits the rate, masks values and records each start in its audit log.
      </p>
      <p role="status">{isOpen && "The messages of this node are shown as they arrive."}</p>
      {shown.length > 0 && (
        <ol class="tail border rounded list-unstyled p-2" tabIndex={0} aria-label="Live messages">
          {shown.map(({ id, text }) => (
            <li key={id} class="border-bottom py-1">
              {text}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function textOf(cause: unknown): string {
  if (cause instanceof ApiError && cause.isMissing)
    return "This node does not offer live messages.";
  return cause instanceof Error ? cause.message : String(cause);
}

function reasonOf({ data }: ServerEvent): string {
  return (JSON.parse(data) as { readonly reason: string }).reason;
}

/** Message of a topic; `skipped` messages before it were above the rate limit. */
interface TailEvent {
  readonly offset: number;
  readonly topic: string;
  readonly at: number;
  readonly kind: string;
  readonly bytes: number;
  readonly skipped: number;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly payload?: unknown;
}

function describe({ data }: ServerEvent): string {
  const event = JSON.parse(data) as TailEvent;
  const parts = [time(event.at), `${event.topic} #${event.offset}`];
  if (event.skipped > 0) parts.push(`after ${number(event.skipped)} skipped`);
  parts.push(`${event.kind} of ${bytes(event.bytes)}`);
  for (const [name, value] of Object.entries(event.properties ?? {})) {
    parts.push(`${name}=${textOfValue(value)}`);
  }
  parts.push(event.payload === undefined ? "(payload not shown)" : textOfValue(event.payload));
  return parts.join("  ");
}

function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
