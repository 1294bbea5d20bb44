package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.function.Predicate;

/**
 * Factory of the senders of transactions, whose messages are those of other publishes. Any thread.
 */
final class TransactionSenders implements SessionSender.Factory {
  private static final int DESTINATIONS = 256;

  private final Provider provider;
  private final boolean persistent;
  private final Predicate<Publication> served;

  /**
   * @param persistent delivery mode of publishes that request none
   * @param served whether clients may publish to a destination
   */
  TransactionSenders(Provider provider, boolean persistent, Predicate<Publication> served) {
    this.provider = provider;
    this.persistent = persistent;
    this.served = served;
  }

  @Override
  public boolean isServed(Publication publication) {
    return served.test(publication);
  }

  @Override
  public SessionSender open(Session session) throws JMSException {
    MessageProducer producer = session.createProducer(null);
    MessageComposer composer = new MessageComposer(provider, persistent, DESTINATIONS);
    return publication -> {
      Entry entry = new Entry(publication, 0, null);
      producer.send(
          composer.destination(entry, session), composer.message(entry, session, producer));
    };
  }
}
