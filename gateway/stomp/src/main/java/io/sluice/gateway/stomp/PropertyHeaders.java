package io.sluice.gateway.stomp;

import java.util.Set;

/**
 * Names of headers and of the message properties that carry them: as in other bridges to JMS, a
 * hyphen is {@code _HYPHEN_} and a dot {@code _DOT_}. Stateless, for any thread.
 */
final class PropertyHeaders {
  private static final String HYPHEN = "_HYPHEN_";
  private static final String DOT = "_DOT_";

  /** Headers of the protocol and of the message, which are no properties. */
  private static final Set<String> RESERVED =
      Set.of(
          "destination",
          "destination-type",
          "receipt",
          "receipt-id",
          "transaction",
          "content-length",
          "id",
          "ack",
          "subscription",
          "message-id",
          "timestamp",
          "redelivered",
          "position",
          "gap",
          "removed",
          "recovered",
          "priority",
          "expires",
          "expiration",
          "persistent",
          "correlation-id",
          "reply-to",
          "type",
          "amq-msg-type",
          "JMSXGroupID",
          "JMSXGroupSeq",
          "_AMQ_DUPL_ID",
          "AMQ_SCHEDULED_DELAY",
          "AMQ_SCHEDULED_TIME",
          "x-delay");

  private PropertyHeaders() {}

  /** Returns whether a header is none of a message's properties. */
  static boolean isReserved(String header) {
    return RESERVED.contains(header);
  }

  /** Returns the property of a header. */
  static String property(String header) {
    return header.indexOf('-') < 0 && header.indexOf('.') < 0
        ? header
        : header.replace("-", HYPHEN).replace(".", DOT);
  }

  /** Returns the header of a property. */
  static String header(String property) {
    return property.indexOf('_') < 0 ? property : property.replace(HYPHEN, "-").replace(DOT, ".");
  }
}
