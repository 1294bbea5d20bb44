import type { JMSException } from "./exceptions.js";
import type { Message } from "./message.js";

/** Listener of messages. The context calls its listeners one after the other, and awaits each. */
export type MessageListener = (message: Message) => unknown;

/** Listener of problems that no call reports, such as gaps. */
export type ExceptionListener = (exception: JMSException) => void;

/** Listener of the results of `send`. */
export interface CompletionListener {
  /** The broker has accepted the message. */
  onCompletion(message: Message): void;
  /** The message was not sent, or its outcome is unknown. */
  onException(message: Message, exception: JMSException): void;
}
