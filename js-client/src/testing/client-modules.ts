/**
 * Loads the client's modules that are otherwise loaded on demand. After that, everything that a
 * client does without a timer takes only turns of the microtask queue.
 */
export function loadClient(): Promise<unknown> {
  return Promise.all([
    import("../messaging.js"),
    import("../sessions.js"),
    import("../session-watch.js"),
    import("../queues.js"),
    import("../durables.js"),
    import("../transactions.js"),
    import("../presence.js"),
    import("../requests.js"),
    import("../serve.js"),
    import("../move.js"),
    import("../token-refresh.js"),
    import("../messages.js"),
    import("../schema.js"),
  ]);
}
