package io.sluice.gateway.protocol.publish;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueMembers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Parts of a transaction that were read so far: docs/PROTOCOL.md, section 3. For one frame and one
 * thread.
 */
public final class TransactionMembers {
  private static final Set<String> NOT_IN_PARTS = Set.of("type", "ref");

  private final int max;
  private final List<ClientFrame.Publish> publishes = new ArrayList<>();
  private final List<ClientFrame.Settle> acks = new ArrayList<>();

  /** Reader of one part of a list. */
  private interface Part {
    void read(JsonParser parser) throws IOException;
  }

  /** Creates members without parts; {@code max} is their largest number. */
  public TransactionMembers(int max) {
    this.max = max;
  }

  /** Reads the value of {@code publish} or {@code ack}. */
  public void read(String name, JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw new BadFrame("\"" + name + "\" must be a list of objects");
    }
    Part part = name.equals("ack") ? this::readAck : this::readPublish;
    for (int number = 1; parser.nextToken() != JsonToken.END_ARRAY; number++) {
      read(name + " " + number, part, parser);
    }
  }

  private void read(String place, Part part, JsonParser parser) throws IOException {
    try {
      if (publishes.size() + acks.size() >= max) {
        throw new BadFrame("a transaction has more than limits.transaction (" + max + ") parts");
      }
      if (parser.currentToken() != null && parser.currentToken() != JsonToken.START_OBJECT) {
        throw new BadFrame("not an object");
      }
      part.read(parser);
    } catch (BadFrame e) {
      throw new BadFrame(place + ": " + e.getMessage());
    }
  }

  private void readPublish(JsonParser parser) throws IOException {
    PublishMembers members = new PublishMembers();
    String topic = null;
    String queue = null;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = memberName(parser);
      switch (name) {
        case "topic" -> topic = BadFrame.string(parser, name);
        case "queue" -> queue = BadFrame.string(parser, name);
        case "id" -> throw notAllowed(name);
        default -> {
          if (!members.read(name, parser)) {
            parser.skipChildren();
          }
        }
      }
    }
    publishes.add(members.frame(ClientFrame.NO_REF, Destination.of(topic, queue)));
  }

  private void readAck(JsonParser parser) throws IOException {
    QueueMembers members = new QueueMembers();
    long subscription = ClientFrame.NO_REF;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = memberName(parser);
      switch (name) {
        case "subscription" -> subscription = BadFrame.integer(parser, name, 0, BadFrame.MAX_EXACT);
        case "tag", "upTo" -> members.read(name, parser);
        default -> parser.skipChildren();
      }
    }
    addAck((ClientFrame.Settle) members.settle(ClientFrame.NO_REF, subscription, Settlement.ACK));
  }

  private void addAck(ClientFrame.Settle ack) throws BadFrame {
    if (!acks.isEmpty() && acks.get(0).subscription() != ack.subscription()) {
      throw new BadFrame(
          "\"subscription\" is %d; all acknowledgements belong to one consumer, here %d"
              .formatted(ack.subscription(), acks.get(0).subscription()));
    }
    acks.add(ack);
  }

  private static String memberName(JsonParser parser) throws IOException {
    String name = parser.currentName();
    if (NOT_IN_PARTS.contains(name)) {
      throw notAllowed(name);
    }
    parser.nextToken();
    return name;
  }

  private static BadFrame notAllowed(String name) {
    return new BadFrame("\"" + name + "\" is not allowed in a transaction");
  }

  /** Returns the transaction. */
  public ClientFrame frame(long ref) throws BadFrame {
    if (ref == ClientFrame.NO_REF) {
      throw new BadFrame("\"ref\" of a transaction is missing");
    }
    if (publishes.isEmpty() && acks.isEmpty()) {
      throw new BadFrame("\"publish\" and \"ack\" are missing or empty");
    }
    return new ClientFrame.Transaction(ref, List.copyOf(publishes), List.copyOf(acks));
  }
}
