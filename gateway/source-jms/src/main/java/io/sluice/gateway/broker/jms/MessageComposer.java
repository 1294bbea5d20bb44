package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Capability;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import io.sluice.gateway.protocol.publish.StructuredBody;
import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Composer of JMS messages from publishes, with a cache of destinations. Confined to one thread.
 */
final class MessageComposer {
  private static final String GROUP = "JMSXGroupID";

  /** The JMS client does not support a header of a publish. */
  static final class Unsupported extends JMSException {
    private static final long serialVersionUID = 1L;

    Unsupported(String reason, Throwable cause) {
      super(reason);
      initCause(cause);
    }
  }

  private final Provider provider;
  private final boolean persistent;
  private final Map<io.sluice.gateway.protocol.Destination, Destination> destinations;

  /** True if the producer has a delay. */
  private boolean delayed;

  /**
   * @param persistent delivery mode of publishes that request none
   * @param maxDestinations size of the cache
   */
  MessageComposer(Provider provider, boolean persistent, int maxDestinations) {
    this.provider = provider;
    this.persistent = persistent;
    this.destinations = cache(maxDestinations);
  }

  private static Map<io.sluice.gateway.protocol.Destination, Destination> cache(int max) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(
          Map.Entry<io.sluice.gateway.protocol.Destination, Destination> eldest) {
        return size() > max;
      }
    };
  }

  /** Returns whether the destination of a publish was used before. */
  boolean isCached(Entry entry) {
    return !entry.isReply() && destinations.containsKey(entry.publication.destination());
  }

  /** Returns the destination of a publish. */
  Destination destination(Entry entry, Session session) throws JMSException {
    if (entry.isReply()) {
      return entry.request.to();
    }
    io.sluice.gateway.protocol.Destination named = entry.publication.destination();
    Destination cached = destinations.get(named);
    if (cached == null) {
      cached = destination(named, session);
      destinations.put(named, cached);
    }
    return cached;
  }

  private Destination destination(io.sluice.gateway.protocol.Destination named, Session session)
      throws JMSException {
    String name = provider.wildcards().toProvider(named.name());
    return named.isQueue() ? provider.queue(session, name) : provider.topic(session, name);
  }

  /** Returns the message of a publish, and prepares the producer for it. */
  Message message(Entry entry, Session session, MessageProducer producer) throws JMSException {
    Publication publication = entry.publication;
    Message message = body(publication, session);
    for (Map.Entry<String, Object> property : publication.properties().entrySet()) {
      message.setObjectProperty(property.getKey(), property.getValue());
    }
    provider.identify(message); // also instead of a client's value, which may repeat another one
    writeHeaders(publication.headers(), message, session);
    RequestHeaders request = entry.request;
    if (request != null) {
      request.writeTo(message);
    }
    prepare(producer, publication.headers(), request);
    return message;
  }

  private static Message body(Publication publication, Session session) throws JMSException {
    return switch (publication.kind()) {
      case BYTES -> {
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeBytes(publication.payload());
        yield bytes;
      }
      case JSON -> structured(StructuredBody.of(publication.payload()), session);
      default ->
          session.createTextMessage(new String(publication.payload(), StandardCharsets.UTF_8));
    };
  }

  private static Message structured(StructuredBody body, Session session) throws JMSException {
    if (body.map() == null) {
      StreamMessage stream = session.createStreamMessage();
      for (Object element : body.list()) {
        stream.writeObject(element);
      }
      return stream;
    }
    MapMessage map = session.createMapMessage();
    for (Map.Entry<String, Object> member : body.map().entrySet()) {
      map.setObject(member.getKey(), member.getValue());
    }
    return map;
  }

  private void writeHeaders(PublishHeaders headers, Message message, Session session)
      throws JMSException {
    if (headers == PublishHeaders.DEFAULT) {
      return;
    }
    if (headers.messageType() != null) {
      message.setJMSType(headers.messageType());
    }
    if (headers.correlationId() != null) {
      message.setJMSCorrelationID(headers.correlationId());
    }
    if (headers.group() != null) {
      message.setStringProperty(GROUP, headers.group());
    }
    if (headers.replyTo() != null) {
      message.setJMSReplyTo(destination(headers.replyTo(), session));
    }
    if (headers.id() != null) {
      provider.setDuplicateId(message, headers.id());
    }
  }

  // The producer serves all destinations, so each message sets what another may have changed.
  private void prepare(MessageProducer producer, PublishHeaders headers, RequestHeaders request)
      throws JMSException {
    boolean stored =
        headers.mode() == Mode.OF_NODE ? persistent : headers.mode() == Mode.PERSISTENT;
    producer.setDeliveryMode(stored ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    producer.setPriority(headers.priority());
    producer.setTimeToLive(
        request == null || request.isReply() ? headers.ttlMs() : request.ttlMs());
    if (headers.delayMs() != PublishHeaders.NONE && !provider.supports(Capability.DELAY)) {
      throw new Unsupported(
          "\"delay\": this broker is not known to delay messages (broker.capabilities: delay)",
          null);
    }
    if (delayed || headers.delayMs() != PublishHeaders.NONE) {
      delay(producer, headers.delayMs());
    }
  }

  private void delay(MessageProducer producer, long delayMs) throws Unsupported {
    try {
      producer.setDeliveryDelay(delayMs);
      delayed = delayMs != PublishHeaders.NONE;
    } catch (UnsupportedOperationException | JMSException | AbstractMethodError e) {
      throw new Unsupported("\"delay\": the JMS client does not delay messages", e);
    }
  }
}
