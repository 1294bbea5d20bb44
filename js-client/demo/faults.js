import { setText } from "./text.js";

const CUT_MS = 3_000;
const FREEZE_MS = 4_000;

/** Buttons that cause faults: in this page by themselves, in the demo by its endpoints. */
export class Faults {
  #buttons;
  #note;
  #server;
  #connections;
  #broker = "up";
  #port;
  #ports = [];

  /**
   * @param connections - Switch of this page's connections; undefined if other tabs share them.
   */
  constructor(root, connections) {
    this.#connections = connections;
    this.#note = root.querySelector("[data-part=fault-note]");
    const names = ["cut", "slow", "kill", "broker"];
    this.#buttons = Object.fromEntries(
      names.map((name) => [name, root.querySelector(`[data-fault=${name}]`)]),
    );
    for (const name of names) {
      this.#buttons[name].addEventListener("click", () => void this[name]());
    }
    this.#buttons.cut.disabled = connections === undefined;
  }

  /** Enables the faults of a demo. */
  onDemo(server, { controls, broker, ports }) {
    this.#ports = ports;
    this.#server = controls ? server : undefined;
    this.#onBroker(broker);
    if (!controls) setText(this.#note, "Only pages on this machine can stop a node or the broker.");
  }

  /**
   * @param port - Port of the connected node; undefined without a session.
   */
  onNode(port) {
    this.#port = port;
    this.#buttons.kill.disabled = port === undefined || this.#server === undefined;
  }

  cut() {
    this.#connections.cut(CUT_MS);
    setText(this.#note, "Connection cut. New ones fail for 3 s.");
  }

  /** Occupies the page's only thread: no message is read, as on a phone that is too slow. */
  slow() {
    setText(this.#note, "The page was frozen for 4 s.");
    const end = performance.now() + FREEZE_MS;
    while (performance.now() < end);
  }

  async kill() {
    const port = this.#port;
    const problem = await this.#server.request(`kill/${port}`);
    const other = this.#ports.find((one) => one !== port);
    const address = `${location.protocol}//${location.hostname}:${other}/`;
    // The page cannot be reloaded from a node that is not running; `other` may not have started.
    const isMissing = String(port) === location.port && other !== undefined;
    const reload = isMissing ? ` Until then the page is at ${address}` : "";
    setText(this.#note, problem ?? `Node ${port} was killed. It starts again after 10 s.${reload}`);
  }

  async broker() {
    const action = this.#broker === "up" ? "stop" : "start";
    this.#buttons.broker.disabled = true;
    const problem = await this.#server.request(`broker/${action}`);
    const done = action === "stop" ? "The broker was stopped." : "The broker was started.";
    setText(this.#note, problem ?? done);
    const state = await this.#server.state();
    this.#onBroker(state?.broker ?? this.#broker);
  }

  #onBroker(broker) {
    this.#broker = broker;
    this.#buttons.broker.disabled = this.#server === undefined;
    setText(this.#buttons.broker, broker === "up" ? "Stop the broker" : "Start the broker");
  }
}
