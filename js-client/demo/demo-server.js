/** Endpoints of the demo's nodes: their state, and faults that the page can request. */
export class DemoServer {
  #origins;

  constructor(origins) {
    this.#origins = origins;
  }

  /** Returns the state of nodes and broker; undefined if this node is no part of a demo. */
  async state() {
    const response = await this.#send("state", { method: "GET" });
    return response?.ok ? response.json() : undefined;
  }

  /**
   * Requests a fault.
   *
   * @param action - Such as `kill/8080` or `broker/stop`.
   * @returns undefined, or the problem.
   */
  async request(action) {
    const response = await this.#send(action, { method: "POST" });
    if (!response) return "No node of the demo answers.";
    return response.ok ? undefined : (await response.text()).trim();
  }

  /** Sends to the first node that answers. */
  async #send(path, options) {
    for (const origin of this.#origins) {
      try {
        return await fetch(`${origin}/demo/${path}`, { ...options, cache: "no-store" });
      } catch {
        // This node is not running.
      }
    }
    return undefined;
  }
}
