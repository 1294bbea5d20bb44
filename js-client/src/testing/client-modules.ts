/**
 * Loads the client's modules that are otherwise loaded on demand. After that, everything that a
 * client does without a timer takes only turns of the microtask queue.
 */
export function loadClient(): Promise<unknown> {
  return Promise.all([
    import("../engine/messaging.js"),
    import("../queues/sessions.js"),
    import("../engine/session-watch.js"),
    import("../queues/queues.js"),
    import("../queues/durables.js"),
    import("../queues/transactions.js"),
    import("../queues/presence.js"),
    import("../queues/requests.js"),
    import("../queues/serve.js"),
    import("../transport/move.js"),
    import("../engine/token-refresh.js"),
    import("../engine/messages.js"),
    import("../engine/schema.js"),
  ]);
}
