package io.sluice.gateway.broker.nats;

import io.nats.client.Message;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import java.util.Map;

/** Composer of NATS messages from publishes. Stateless, for any thread. */
final class NatsComposer {
  private static final String MESSAGE_ID = "Nats-Msg-Id";

  private NatsComposer() {}

  /** Returns whether only a stream has what a publish requires. */
  static boolean needsStream(Publication publication) {
    PublishHeaders headers = publication.headers();
    return headers.id() != null || headers.mode() == PublishHeaders.Mode.PERSISTENT;
  }

  /**
   * Returns the reason for which NATS cannot carry a publish, or null.
   *
   * @param stored whether a stream stores the subject
   */
  static String problem(Publication publication, boolean stored) {
    PublishHeaders headers = publication.headers();
    if (publication.destination().isQueue()) {
      return "NATS has no queues";
    }
    if (publication.kind() == PayloadKind.JSON) {
      return "\"encoding\": NATS has no structured messages; publish JSON as text";
    }
    if (headers.ttlMs() != PublishHeaders.NONE) {
      return "\"ttl\": the limits of the stream apply";
    }
    if (headers.delayMs() != PublishHeaders.NONE) {
      return "\"delay\": NATS does not delay messages";
    }
    if (headers.priority() != PublishHeaders.DEFAULT_PRIORITY) {
      return "\"priority\": NATS has no priorities";
    }
    if (headers.messageType() != null
        || headers.correlationId() != null
        || headers.group() != null
        || headers.replyTo() != null) {
      return "NATS has no type, correlation id, group and reply destination; use properties";
    }
    if (!stored && headers.id() != null) {
      return "\"id\": no stream stores the topic, so duplicates are not detected";
    }
    return !stored && headers.mode() == PublishHeaders.Mode.PERSISTENT
        ? "no stream stores the topic, so a message cannot be persistent"
        : null;
  }

  /**
   * Returns the message of a publish without a {@link #problem}.
   *
   * @throws IllegalArgumentException if a property is no header, with the reason
   */
  static Message message(Publication publication) {
    Headers headers = new Headers();
    for (Map.Entry<String, Object> property : publication.properties().entrySet()) {
      headers.put(property.getKey(), String.valueOf(property.getValue()));
    }
    if (publication.headers().id() != null) {
      headers.put(MESSAGE_ID, publication.headers().id());
    }
    return NatsMessage.builder()
        .subject(publication.destination().name())
        .headers(headers.isEmpty() ? null : headers)
        .data(publication.payload())
        .build();
  }
}
