package io.sluice.gateway.protocol.queue;

import com.fasterxml.jackson.core.JsonParser;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import java.io.IOException;

/**
 * Members of the client frames of queues that were read so far: docs/PROTOCOL.md, section 3. For
 * one frame and one thread.
 */
public final class QueueMembers {
  private static final int DEFAULT_CREDIT = 1;
  private static final int DEFAULT_MAX = 100;
  private static final int MISSING = -1;

  private int credit = MISSING;
  private long tag = MISSING;
  private boolean upTo;
  private int max = DEFAULT_MAX;

  /** Reads the value of {@code credit}, {@code tag}, {@code upTo} or {@code max}. */
  public void read(String name, JsonParser parser) throws IOException {
    switch (name) {
      case "credit" -> credit = (int) BadFrame.integer(parser, name, 0, Integer.MAX_VALUE);
      case "tag" -> tag = BadFrame.integer(parser, name, 1, BadFrame.MAX_EXACT);
      case "upTo" -> upTo = BadFrame.flag(parser, name);
      default -> max = (int) BadFrame.integer(parser, name, 1, Integer.MAX_VALUE);
    }
  }

  /** Returns a frame that opens a consumer. */
  public ClientFrame consume(long ref, String queue, String where) throws BadFrame {
    checkRef(ref);
    int limit = credit == MISSING ? DEFAULT_CREDIT : credit;
    return new ClientFrame.Consume(ref, queue, where, limit);
  }

  /** Returns a frame that browses a queue. */
  public ClientFrame browse(long ref, String queue, String where) throws BadFrame {
    checkRef(ref);
    return new ClientFrame.Browse(ref, queue, where, max);
  }

  /** Returns a frame that changes the credit of a consumer. */
  public ClientFrame credit(long ref, long subscription) throws BadFrame {
    require(subscription, "subscription");
    require(credit, "credit");
    return new ClientFrame.Credit(ref, subscription, credit);
  }

  /** Returns a frame that settles messages. */
  public ClientFrame settle(long ref, long subscription, Settlement how) throws BadFrame {
    require(subscription, "subscription");
    require(tag, "tag");
    return new ClientFrame.Settle(ref, subscription, tag, upTo, how);
  }

  /** Returns a frame that answers a message. */
  public ClientFrame respond(long subscription, ClientFrame.Publish reply) throws BadFrame {
    require(subscription, "subscription");
    require(tag, "tag");
    return new ClientFrame.Respond(subscription, tag, reply);
  }

  private static void checkRef(long ref) throws BadFrame {
    if (ref == ClientFrame.NO_REF || ref > ClientFrame.MAX_TAGGED_REF) {
      throw new BadFrame("\"ref\" of a consumer or a browse must be from 0 to 2^32-1");
    }
  }

  private static void require(long value, String name) throws BadFrame {
    if (value == MISSING) {
      throw new BadFrame("\"" + name + "\" is missing");
    }
  }
}
