import { send } from "./api.js";

/** Maximum length of one event; longer ones end the stream with an error. */
const MAX_EVENT = 1_000_000;

/** Event of a stream of server-sent events. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

/**
 * Reads server-sent events until the signal aborts. An EventSource cannot be used, because it sends
 * no Authorization header.
 */
export async function readEvents(
  path: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const response = await send("GET", path, undefined, signal);
  onOpen();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text = `${text}${part.value}`.replaceAll("\r\n", "\n");
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    if (text.length > MAX_EVENT) throw new Error("The node sent an event that is too long.");
    events.map(parse).filter(isEvent).forEach(onEvent);
  }
}

function parse(block: string): ServerEvent {
  let type = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) type = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return { type, data: data.join("\n") };
}

function isEvent({ data }: ServerEvent): boolean {
  return data !== "";
}
