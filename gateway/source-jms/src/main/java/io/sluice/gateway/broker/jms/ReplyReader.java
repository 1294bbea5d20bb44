package io.sluice.gateway.broker.jms;

import io.sluice.gateway.protocol.queue.Reply;
import jakarta.jms.Message;

/** Converter of JMS messages to replies. Called on threads of the JMS client. */
@FunctionalInterface
public interface ReplyReader {
  /**
   * Reads a reply.
   *
   * @throws UnreadableReply if it cannot be forwarded, which has been counted
   */
  Reply read(Message message) throws UnreadableReply;

  /** Reports that a reply cannot be forwarded. The message says why. */
  final class UnreadableReply extends Exception {
    private static final long serialVersionUID = 1L;

    /** Creates a report without a stack trace: it carries a value, not a bug. */
    public UnreadableReply(String why) {
      super(why, null, false, false);
    }
  }
}
