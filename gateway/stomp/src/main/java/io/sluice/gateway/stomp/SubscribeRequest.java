package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.stomp.StompSubscription.Ack;
import java.util.regex.Pattern;

/**
 * SUBSCRIBE with the headers that the brokers define.
 *
 * @param subscription the new subscription, without its number
 * @param where selector, or null
 * @param start of the subscription of a topic
 * @param credit maximum number of pending messages of a consumer
 */
record SubscribeRequest(StompSubscription subscription, String where, Start start, int credit) {
  /** Credit of a consumer without a prefetch. */
  private static final int DEFAULT_CREDIT = 100;

  private static final int MAX_ID = 255;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  /**
   * Returns a request.
   *
   * @param maxCredit largest credit of the node
   */
  static SubscribeRequest of(StompFrame frame, StompVersion version, int maxCredit)
      throws BadStomp {
    String destination = frame.required("destination");
    StompDestination target = StompDestination.of(destination, StompPublish.isQueue(frame));
    if (target.kind() == StompDestination.Kind.REPLY) {
      throw BadStomp.header("destination", destination, "is no destination to subscribe to");
    }
    if (Boolean.TRUE.equals(frame.flag("browser"))) {
      throw BadStomp.header("browser", "true", "is not supported");
    }
    ConsumerSource source = source(frame, target);
    Start start = start(frame);
    if (source != null && start != Start.NOW) {
      throw BadStomp.header("from", frame.header("from"), "requires a topic without a queue");
    }
    StompSubscription subscription =
        new StompSubscription(
            id(frame, version),
            destination,
            target,
            ack(frame),
            start instanceof Start.Position || Boolean.TRUE.equals(frame.flag("gap")),
            source);
    return new SubscribeRequest(
        subscription, selector(frame), start, credit(frame, subscription.ack, maxCredit));
  }

  private static String id(StompFrame frame, StompVersion version) throws BadStomp {
    String id = version == StompVersion.V1_0 ? frame.header("id") : frame.required("id");
    if (id == null) {
      return "";
    }
    if (id.length() > MAX_ID) {
      throw BadStomp.header("id", id, "must have at most " + MAX_ID + " characters");
    }
    return id;
  }

  private static Ack ack(StompFrame frame) throws BadStomp {
    String mode = frame.header("ack");
    if (mode == null) {
      return Ack.AUTO;
    }
    return switch (mode) {
      case "auto" -> Ack.AUTO;
      case "client" -> Ack.CLIENT;
      case "client-individual" -> Ack.CLIENT_INDIVIDUAL;
      default -> throw BadStomp.header("ack", mode, "must be auto, client or client-individual");
    };
  }

  private static String selector(StompFrame frame) {
    String selector = frame.header("selector");
    return selector == null || selector.isBlank() ? null : selector;
  }

  private static Start start(StompFrame frame) throws BadStomp {
    String from = frame.header("from");
    if (from == null || from.equals("now")) {
      return Start.NOW;
    }
    if (from.equals("snapshot")) {
      return Start.SNAPSHOT;
    }
    Start.Position position = PositionText.parse(from);
    if (position == null) {
      throw BadStomp.header(
          "from", from, "must be now, snapshot, or the header position of a message");
    }
    return position;
  }

  /** Returns the source of a consumer, or null for a shared interest in a topic. */
  private static ConsumerSource source(StompFrame frame, StompDestination target) throws BadStomp {
    String durable = durable(frame);
    String shared = frame.header("shared-subscription-name");
    return switch (target.kind()) {
      case QUEUE -> ConsumerSource.queue(target.name());
      case TOPIC -> {
        if (durable != null) {
          yield ConsumerSource.durable(topic(target), checked(durable));
        }
        yield shared == null ? null : ConsumerSource.shared(topic(target), checked(shared));
      }
      default -> null;
    };
  }

  private static String topic(StompDestination target) throws BadStomp {
    if (target.orParent()) {
      throw new BadStomp(
          "a durable or shared subscription of a pattern with # is not supported; use >");
    }
    return target.name();
  }

  /** Returns the name of a durable subscription as Artemis, ActiveMQ or RabbitMQ define it. */
  static String durable(StompFrame frame) throws BadStomp {
    String name =
        frame
            .headers()
            .first(
                "durable-subscription-name",
                "durable-subscriber-name",
                "activemq.subscriptionName");
    boolean isRabbit =
        Boolean.TRUE.equals(frame.flag("durable"))
            && Boolean.FALSE.equals(frame.flag("auto-delete"));
    return name == null && isRabbit ? frame.required("id") : name;
  }

  /** Returns a valid name of a durable or shared subscription. */
  private static String checked(String name) throws BadStomp {
    if (!NAME.matcher(name).matches()) {
      throw new BadStomp(
          "subscription name \""
              + BadStomp.shortened(name)
              + "\" must have 1 to 64 letters (A-Z), digits, - and _");
    }
    return name;
  }

  private static int credit(StompFrame frame, Ack ack, int maxCredit) throws BadStomp {
    for (String name : new String[] {"prefetch-count", "activemq.prefetchSize"}) {
      int credit = (int) frame.number(name, 0, Integer.MAX_VALUE, 0);
      if (credit > 0) {
        return Math.min(credit, maxCredit);
      }
    }
    return Math.min(DEFAULT_CREDIT, maxCredit);
  }

  /** Returns the frame of a consumer. */
  ClientFrame consume() {
    return new ClientFrame.Consume(subscription.ref, subscription.source, where, credit);
  }

  /** Returns the frame of a topic or pattern. */
  ClientFrame subscribe() {
    return subscribe(subscription.ref, subscription.target.name());
  }

  /** Returns the frame of the topic above a pattern. */
  ClientFrame subscribeParent() {
    return subscribe(subscription.parentRef, subscription.target.parent());
  }

  private ClientFrame subscribe(long ref, String topic) {
    return new ClientFrame.Subscribe(ref, new InterestKey(topic, where), true, start, Delivery.ALL);
  }
}
