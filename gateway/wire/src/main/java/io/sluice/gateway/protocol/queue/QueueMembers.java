package io.sluice.gateway.protocol.queue;

import com.fasterxml.jackson.core.JsonParser;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Settlement;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Members of the client frames of queues that were read so far: docs/PROTOCOL.md, section 3. For
 * one frame and one thread.
 */
public final class QueueMembers {
  private static final int DEFAULT_CREDIT = 1;
  private static final int DEFAULT_MAX = 100;
  private static final int MISSING = -1;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private int credit = MISSING;
  private long tag = MISSING;
  private boolean upTo;
  private int max = DEFAULT_MAX;
  private String durable;
  private String shared;

  /** Reads the value of a member of these frames. */
  public void read(String name, JsonParser parser) throws IOException {
    switch (name) {
      case "credit" -> credit = (int) BadFrame.integer(parser, name, 0, Integer.MAX_VALUE);
      case "tag" -> tag = BadFrame.integer(parser, name, 1, BadFrame.MAX_EXACT);
      case "upTo" -> upTo = BadFrame.flag(parser, name);
      case "durable" -> durable = BadFrame.string(parser, name);
      case "shared" -> shared = BadFrame.string(parser, name);
      default -> max = (int) BadFrame.integer(parser, name, 1, Integer.MAX_VALUE);
    }
  }

  /** Returns a frame that opens a consumer. */
  public ClientFrame consume(long ref, Destination from, String where) throws BadFrame {
    checkRef(ref);
    int limit = credit == MISSING ? DEFAULT_CREDIT : credit;
    ConsumerSource source = from.isQueue() ? queue(from.name()) : subscription(from.name());
    return new ClientFrame.Consume(ref, source, where, limit);
  }

  private ConsumerSource queue(String queue) throws BadFrame {
    if (durable != null || shared != null) {
      String member = durable != null ? "durable" : "shared";
      throw new BadFrame("\"" + member + "\" requires \"topic\" instead of \"queue\"");
    }
    return ConsumerSource.queue(queue);
  }

  private ConsumerSource subscription(String topic) throws BadFrame {
    if (durable != null && shared != null) {
      throw new BadFrame("\"durable\" and \"shared\" exclude each other");
    }
    if (durable == null && shared == null) {
      throw new BadFrame("\"durable\" or \"shared\" is missing");
    }
    return durable != null
        ? ConsumerSource.durable(topic, checkedName("durable", durable))
        : ConsumerSource.shared(topic, checkedName("shared", shared));
  }

  private static String checkedName(String member, String name) throws BadFrame {
    if (!NAME.matcher(name).matches()) {
      throw new BadFrame(
          "\"%s\" is \"%s\"; a name has 1 to 64 letters (A-Z), digits, - and _"
              .formatted(member, BadFrame.shortened(name)));
    }
    return name;
  }

  /** Returns a frame that lists durable subscriptions. */
  public static ClientFrame list(long ref) throws BadFrame {
    requireRef(ref, "list");
    return new ClientFrame.ListDurables(ref);
  }

  /** Returns a frame that deletes a durable subscription. */
  public ClientFrame delete(long ref, String topic) throws BadFrame {
    requireRef(ref, "delete");
    if (durable == null) {
      throw new BadFrame("\"durable\" is missing");
    }
    return new ClientFrame.DeleteDurable(ref, topic, checkedName("durable", durable));
  }

  private static void requireRef(long ref, String type) throws BadFrame {
    if (ref == ClientFrame.NO_REF) {
      throw new BadFrame("\"ref\" of a " + type + " is missing");
    }
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
