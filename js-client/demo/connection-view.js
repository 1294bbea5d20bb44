import { duration } from "./text.js";

const QUIET_MS = 3_000;

const timeOfDay = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** View of the connection state: the lamp, the notice below it, and the empty board. */
export class ConnectionView {
  #parts;
  #state;
  #refused;
  #freshUntil;

  constructor(root, retryNow) {
    const part = (name) => root.querySelector(`[data-part=${name}]`);
    const byId = (id) => root.querySelector(`[data-testid=${id}]`);
    this.#parts = {
      state: byId("state"),
      lag: byId("lag"),
      label: part("label"),
      notice: byId("notice"),
      title: part("title"),
      detail: part("detail"),
      countdown: part("countdown"),
      retry: part("retry"),
      empty: byId("empty"),
      emptyTitle: part("empty-title"),
      emptyDetail: part("empty-detail"),
      stocks: byId("stocks"),
      boardNote: part("board-note"),
      session: part("session"),
    };
    this.#parts.retry.addEventListener("click", retryNow);
  }

  onState(state) {
    if (this.#state?.status === "open") this.#freshUntil = new Date();
    this.#state = state;
    if (state.hello) this.#refused = undefined;
  }

  /** Shows that the node rejected the subscription. */
  onRefused(error) {
    this.#refused = error;
  }

  draw({ rows, quietMs, lag, broken }) {
    const look = this.#look(rows, broken);
    const { state, notice } = this.#parts;
    state.dataset.status = look.status;
    state.dataset.lag = lag?.level ?? "none";
    this.#text("lag", lag && lag.level !== "ok" ? `${duration(lag.ageMs)} behind` : "");
    notice.dataset.status = look.status;
    notice.hidden = look.title === undefined;
    this.#text("label", look.label);
    this.#text("title", look.title ?? "");
    this.#text("detail", look.detail ?? "");
    this.#drawCountdown();
    this.#drawBoard(look, rows, quietMs);
  }

  #look(rows, broken) {
    const since = this.#freshUntil && rows > 0 ? this.#asOf() : "";
    if (this.#refused) {
      const detail = `${this.#refused.code}: ${this.#refused.message}`;
      return {
        status: "refused",
        label: "Refused",
        title: "No access to the prices",
        detail,
      };
    }
    switch (this.#state.status) {
      case "open":
        return { status: "live", label: "Live" };
      case "stale":
        return {
          status: "stale",
          label: "Stale",
          title: "The gateway has lost its broker",
          detail: `The connection stands, but no new prices arrive. ${since}`,
        };
      case "draining":
        return {
          status: "draining",
          label: "Moving",
          title: "The gateway is being stopped",
          detail: "This page is moving its connection.",
        };
      case "closed":
        return {
          status: "closed",
          label: "Closed",
          title: "The connection is closed for good",
          detail: `${broken ? broken.message : "Reload the page to connect again."} ${since}`,
        };
      default:
        return this.#state.lastEnd ? this.#lostLook(since) : this.#connectingLook();
    }
  }

  #connectingLook() {
    return { status: "connecting", label: "Connecting" };
  }

  #lostLook(since) {
    const { failures } = this.#state;
    const tries = failures > 1 ? ` ${failures} tries have failed.` : "";
    return {
      status: "lost",
      label: "Connection lost",
      title: "The connection to the gateway is lost",
      detail: `It will come back by itself.${tries} ${since}`,
    };
  }

  #asOf() {
    return `Prices are as of ${timeOfDay.format(this.#freshUntil)}.`;
  }

  #drawCountdown() {
    const { countdown, retry } = this.#parts;
    const lost = this.#state.status === "connecting" && this.#state.lastEnd !== undefined;
    countdown.hidden = !lost;
    const waiting = lost && this.#state.retryAt !== undefined;
    retry.hidden = !waiting;
    if (!lost) return;
    const seconds = waiting ? Math.max(0, (this.#state.retryAt - Date.now()) / 1_000) : 0;
    this.#text("countdown", waiting ? `Next try in ${Math.ceil(seconds)} s` : "Trying now …");
  }

  #drawBoard(look, rows, quietMs) {
    const { empty, stocks, boardNote } = this.#parts;
    empty.hidden = rows > 0;
    stocks.hidden = rows === 0;
    boardNote.hidden = rows === 0;
    this.#text("boardNote", this.#note(look, rows, quietMs));
    if (rows === 0) this.#drawEmpty(look);
    this.#text("session", this.#session());
  }

  #note(look, rows, quietMs) {
    const count = `${rows} ${rows === 1 ? "topic" : "topics"}, one subscription to stocks.>`;
    if (look.status !== "live") return `${count} · not up to date`;
    if (quietMs < QUIET_MS) return count;
    return `${count} · no message for ${Math.floor(quietMs / 1_000)} s`;
  }

  #drawEmpty(look) {
    const [title, detail] = {
      connecting: ["No prices yet", "Connecting to the gateway."],
      live: ["No prices yet", "Connected. Prices appear here as soon as the feed publishes some."],
      stale: ["No prices yet", "The gateway is here, but its broker is away."],
    }[look.status] ?? ["No prices", look.title];
    this.#text("emptyTitle", title);
    this.#text("emptyDetail", detail);
  }

  #session() {
    const { hello } = this.#state;
    return hello ? `Node ${hello.node} · Sluice ${hello.version}` : "No session";
  }

  #text(part, text) {
    const element = this.#parts[part];
    if (element.textContent !== text) element.textContent = text;
  }
}
