import type { Delivery } from "../index.js";
import type { Destination } from "./destinations.js";

/** Way to answer a pending message by the node, which needs no permission for its JMSReplyTo. */
export interface ReplyLink {
  /** Returns whether the message is pending. */
  isPending(): boolean;
  readonly respond: Delivery["respond"];
}

/** Links by the destination object that `getJMSReplyTo` returns. */
const links = new WeakMap<Destination, ReplyLink>();

/** Links the JMSReplyTo of a message to the message. */
export function linkReply(replyTo: Destination, link: ReplyLink): void {
  links.set(replyTo, link);
}

/** Returns the link of a JMSReplyTo while its message is pending. */
export function replyLinkOf(destination: Destination): ReplyLink | undefined {
  const link = links.get(destination);
  return link?.isPending() === true ? link : undefined;
}
