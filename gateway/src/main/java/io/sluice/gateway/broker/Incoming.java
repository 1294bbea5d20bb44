package io.sluice.gateway.broker;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.JMSException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what one consumer delivers into messages of ours. For one thread at a time. */
final class Incoming {
  private static final Logger log = LoggerFactory.getLogger(Incoming.class);

  private final JmsBroker broker;
  private final String pattern;
  private final Provider provider;
  private final MessageReader reader;
  private final GatewayMetrics metrics;
  private final boolean exact;
  private final Runnable arrivals;

  /**
   * @param arrivals run for each message that arrives
   */
  Incoming(
      JmsBroker broker,
      String pattern,
      Provider provider,
      MessageReader reader,
      Runnable arrivals) {
    this.arrivals = arrivals;
    this.broker = broker;
    this.pattern = pattern;
    this.provider = provider;
    this.reader = reader;
    this.metrics = broker.metrics();
    this.exact = !TopicPattern.isPattern(pattern);
  }

  /**
   * The message, or null if it is none that anybody here wants: the provider's wildcard may match
   * more than ours.
   *
   * @throws MessageReader.Refused if it is wanted and cannot be forwarded; that is counted already
   */
  Message read(jakarta.jms.Message message) throws MessageReader.Refused {
    try {
      String topic = topic(message);
      if (topic == null) {
        return null;
      }
      Message read = reader.read(message, topic);
      metrics.messageIn(read.payload().length);
      return read;
    } catch (MessageReader.Refused e) {
      metrics.dropped(e.reason().code(), 1);
      throw e;
    } catch (JMSException | IOException | RuntimeException | OutOfMemoryError e) {
      throw new MessageReader.Refused(unreadable(e));
    }
  }

  /** A message has arrived. */
  void onArrival() {
    arrivals.run();
  }

  /** The broker's number of a message. */
  long sequence(jakarta.jms.Message message) {
    return provider.sequence(message);
  }

  /** Whether a message can be told from one that is alike. */
  boolean isNamed(jakarta.jms.Message message) throws JMSException {
    return provider.messageId(message) != null;
  }

  /** Something went wrong with a message; says and counts it, and what to tell of it. */
  GapReason unreadable(Throwable cause) {
    log.atWarn().addKeyValue("topic", pattern).setCause(cause).log("message.unreadable");
    metrics.dropped(GapReason.UNSUPPORTED.code(), 1);
    return GapReason.UNSUPPORTED;
  }

  private String topic(jakarta.jms.Message message) throws JMSException {
    if (exact) {
      return pattern;
    }
    String name = provider.topicOf(message);
    String topic = provider.wildcards().fromProvider(name);
    boolean wanted = !broker.isHidden(topic, name) && TopicPattern.covers(pattern, topic);
    return wanted ? topic : null;
  }
}
