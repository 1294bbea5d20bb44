package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.Destination;

/**
 * Destination of a frame in the spellings of the brokers: {@code /topic/a.b}, {@code /queue/a},
 * {@code /temp-queue/a}, {@code topic://a}, {@code jms.topic.a} or a bare name. Immutable.
 *
 * @param kind type of destination
 * @param name name for the node, not validated: levels joined by dots, {@code >} for {@code #}
 * @param orParent whether a pattern includes the topic above its last level
 */
record StompDestination(Kind kind, String name, boolean orParent) {
  /** Types of destination. */
  enum Kind {
    TOPIC,
    QUEUE,
    /** Replies to requests of this connection. */
    TEMPORARY,
    /** The requester of a pending message. */
    REPLY
  }

  static final String TOPIC = "/topic/";
  static final String QUEUE = "/queue/";
  static final String TEMPORARY = "/temp-queue/";

  /** Prefix of the {@code reply-to} of a message that the client can answer. */
  static final String REPLY = "/reply-queue/";

  /** Prefixes whose destinations no broker of this node has, with what they mean elsewhere. */
  private static final String[][] REFUSED = {
    {"/exchange/", "exchanges are RabbitMQ's; use /topic/ or /queue/"},
    {"/app/", "application destinations are those of a Spring server; use /topic/ or /queue/"},
    {"/user/", "user destinations are those of a Spring server; use a topic for each user"},
    {"/temp-topic/", "there are no temporary topics; use /topic/ or /temp-queue/"},
    {"/dsub/", "use /topic/ with durable-subscription-name"},
  };

  private static final Object[][] PREFIXES = {
    {TOPIC, Kind.TOPIC},
    {QUEUE, Kind.QUEUE},
    {TEMPORARY, Kind.TEMPORARY},
    {REPLY, Kind.REPLY},
    {"/amq/queue/", Kind.QUEUE},
    {"topic://", Kind.TOPIC},
    {"queue://", Kind.QUEUE},
    {"jms.topic.", Kind.TOPIC},
    {"jms.queue.", Kind.QUEUE},
  };

  /**
   * Returns the destination of a header.
   *
   * @param isQueue whether a bare name is a queue
   */
  static StompDestination of(String text, boolean isQueue) throws BadStomp {
    for (String[] each : REFUSED) {
      if (text.startsWith(each[0])) {
        throw BadStomp.header("destination", text, "is not supported: " + each[1]);
      }
    }
    for (Object[] each : PREFIXES) {
      String prefix = (String) each[0];
      if (text.startsWith(prefix)) {
        return named((Kind) each[1], text.substring(prefix.length()), text);
      }
    }
    return named(
        isQueue ? Kind.QUEUE : Kind.TOPIC, text.startsWith("/") ? text.substring(1) : text, text);
  }

  private static StompDestination named(Kind kind, String name, String text) throws BadStomp {
    if (name.isEmpty()) {
      throw BadStomp.header("destination", text, "must have a name");
    }
    if (kind == Kind.TEMPORARY || kind == Kind.REPLY) {
      return new StompDestination(kind, name, false);
    }
    String dotted = name.replace('/', '.');
    if (kind == Kind.TOPIC && (dotted.equals("#") || dotted.endsWith(".#"))) {
      String pattern = dotted.substring(0, dotted.length() - 1) + '>';
      return new StompDestination(kind, pattern, dotted.length() > 1);
    }
    return new StompDestination(kind, dotted, false);
  }

  /** Returns the topic above the last level of a pattern that includes it. */
  String parent() {
    return name.substring(0, name.length() - 2);
  }

  /** Returns the topic or queue for the node. */
  Destination destination() {
    return kind == Kind.QUEUE ? Destination.queue(name) : Destination.topic(name);
  }

  /** Returns the header for a destination of the node. */
  static String text(Destination destination) {
    return (destination.isQueue() ? QUEUE : TOPIC) + destination.name();
  }
}
