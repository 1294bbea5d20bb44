/** Publish without an answer, as returned by `pendingPublishes`. */
export interface PendingPublish {
  /** Topic of the message; undefined for a queue. */
  readonly topic: string | undefined;
  /** Queue of the message; undefined for a topic. */
  readonly queue: string | undefined;
  /** Option `id` of the publish. */
  readonly id: string | undefined;
  /** `waiting` for a connection or for capacity, or `sent` without an answer yet. */
  readonly status: "waiting" | "sent";
  /** Time of the call, milliseconds since 1970. */
  readonly since: number;
}
