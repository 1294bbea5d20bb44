import type { Client } from "../engine/client-type.js";
import type { Undo } from "../engine/emitter.js";
import type { Gap } from "../engine/subscription-state.js";
import type { SocketObservation } from "./observation.js";
import { STYLES } from "./styles.js";

const REFRESH_MS = 1_000;
const MAX_GAPS = 10;

type Row = readonly (string | number)[];

// Missing on servers, where the module can be imported but not used.
const Base = (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as never);

/** Developer panel of one client: the element `sluice-devtools`. */
export class SluiceDevtools extends Base {
  readonly #gaps: Row[] = [];
  readonly #undo: Undo[] = [];
  #client: Client | undefined;
  #observation: SocketObservation | undefined;
  #root: ShadowRoot | undefined;

  /** Shows a client until {@link SluiceDevtools.detach}. */
  attach(client: Client, observation: SocketObservation | undefined): void {
    this.#client = client;
    this.#observation = observation;
    this.#createContent();
    const refresh = (): void => {
      this.#refresh();
    };
    const timer = setInterval(refresh, REFRESH_MS);
    this.#undo.push(
      client.on("state", refresh),
      client.on("gap", (gap) => {
        this.#onGap(gap);
      }),
      () => {
        clearInterval(timer);
      },
    );
    refresh();
  }

  /** Removes all listeners. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #createContent(): void {
    const root = (this.#root ??= this.attachShadow({ mode: "open" }));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    const section = create("section", { ariaLabel: "Sluice developer panel" });
    const header = create("header");
    const status = create("p", { id: "status", role: "status" });
    header.append(create("h2", { textContent: "Sluice" }), status, ...this.#createButtons());
    section.append(header, create("p", { id: "node" }));
    if (this.#observation) {
      section.append(table("topics", "Subscriptions", "Topic Offset Messages Per_second Gaps Log"));
    }
    section.append(table("gaps", "Gaps", "Time Topic Reason"));
    if (this.#observation) {
      section.append(table("frames", "Last frames by type", "Direction Type Count Last"));
    }
    root.replaceChildren(section);
  }

  #createButtons(): HTMLElement[] {
    const reconnect = create("button", { type: "button", textContent: "Reconnect now" });
    reconnect.addEventListener("click", () => this.#client?.retryNow());
    if (!this.#observation) return [reconnect];
    const cut = create("button", { type: "button", textContent: "Cut connection" });
    cut.addEventListener("click", () => this.#observation?.cut());
    return [cut, reconnect];
  }

  #onGap({ topic, reason }: Gap): void {
    this.#gaps.unshift([new Date().toLocaleTimeString(), topic, reason]);
    this.#gaps.length = Math.min(this.#gaps.length, MAX_GAPS);
    this.#refresh();
  }

  #refresh(): void {
    const client = this.#client;
    if (!client) return;
    this.#show("status", statusOf(client));
    this.#show("node", this.#describeNode(client));
    this.#fill("gaps", this.#gaps);
    if (!this.#observation) return;
    const { traffic } = this.#observation;
    traffic.clockOffset = client.clockOffset?.offset ?? 0;
    this.#fill(
      "topics",
      traffic.snapshot().map(({ topic, offset, messages, rate, gaps, epoch }) => {
        return [topic, offset, messages, rate.toFixed(1), gaps, epoch];
      }),
    );
    this.#fill(
      "frames",
      traffic.frames.map(({ direction, type, count, last }) => [direction, type, count, last]),
    );
  }

  #describeNode({ state, transport, clockOffset }: Client): string {
    const parts = "hello" in state ? [`node ${state.hello.node} ${state.hello.version}`] : [];
    if (transport) parts.push(transport);
    if (clockOffset) parts.push(`clock offset ${String(Math.round(clockOffset.offset))} ms`);
    const latency = this.#observation?.traffic.latency;
    if (latency && latency.count > 0) {
      const [half, most] = [latency.percentile(50), latency.percentile(95)];
      parts.push(`latency ${String(half)} ms, 95 % below ${String(most)} ms`);
    }
    return parts.join(" · ");
  }

  /** Changes a text only if it differs, because screen readers announce each change. */
  #show(id: string, text: string): void {
    const element = this.#root?.getElementById(id);
    if (element && element.textContent !== text) element.textContent = text;
  }

  #fill(id: string, rows: readonly Row[]): void {
    const body = this.#root?.getElementById(id);
    body?.replaceChildren(...rows.map(toRow));
  }
}

function statusOf({ state }: Client): string {
  if (state.status !== "connecting") return state.status;
  const { lastEnd, failures } = state;
  if (!lastEnd) return "connecting";
  return `connecting after ${String(failures)} failures, last close code ${String(lastEnd.code)}`;
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), members);
}

/** Returns a table that can be scrolled with the keyboard; its body has the id. */
function table(id: string, caption: string, columns: string): HTMLElement {
  const scroll = create("div", { className: "scroll", tabIndex: 0, role: "region" });
  scroll.ariaLabel = caption;
  const head = create("tr");
  for (const column of columns.split(" ")) {
    head.append(create("th", { scope: "col", textContent: column.replace("_", " ") }));
  }
  const element = create("table");
  const header = create("thead");
  header.append(head);
  element.append(create("caption", { textContent: caption }), header, create("tbody", { id }));
  scroll.append(element);
  return scroll;
}

function toRow(cells: Row): HTMLElement {
  const row = create("tr");
  for (const cell of cells) {
    const textContent = String(cell);
    row.append(create("td", { textContent, className: textContent.length > 40 ? "text" : "" }));
  }
  return row;
}
