package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.jms.ContentReader.Undeliverable;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request to read messages of a queue without removing them. Any thread. */
final class Browse extends TimedRequest {
  private static final Logger log = LoggerFactory.getLogger(Browse.class);

  /** Messages of a queue, read one after the other; waits for the broker. */
  interface Source {
    /** Returns the next message, or null after the last one. */
    Message next() throws JMSException;

    /** Ends a running {@link #next}, and never fails. Any thread; may wait for the broker. */
    default void close() {}
  }

  /** Receiver of a source. */
  interface Consumer {
    void accept(Source source) throws JMSException;
  }

  private final QueueRequest request;
  private final int max;
  private final BrowseListener listener;
  private final DeliveryReader deliveries;

  /** Closes the source; null before it is open. */
  private volatile Runnable closing;

  Browse(
      LinkUser.Owner owner,
      QueueRequest request,
      int max,
      BrowseListener listener,
      DeliveryReader deliveries,
      long timeoutMs) {
    super(owner, timeoutMs, "the broker did not send the messages in time");
    this.request = request;
    this.max = max;
    this.listener = listener;
    this.deliveries = deliveries;
  }

  @Override
  public String user() {
    return request.requester().user();
  }

  @Override
  public void onConnected(QueueLink link) {
    link.call(QueueLink.Kind.BROWSE, user(), () -> run(link));
  }

  private void run(QueueLink link) {
    if (isEnded()) {
      return;
    }
    try {
      link.browse(request, source -> forward(source, link));
    } catch (Throwable e) { // a provider's client may fail in any way
      OpenFailure reason = OpenFailure.of(e, request);
      if (reason.isPermanent()) {
        refuse(reason.code(), reason.why());
        return;
      }
      log.atWarn()
          .addKeyValue("session", request.requester().session())
          .addKeyValue("queue", request.queue())
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
          .log("queue.refused");
      refuse(reason.code(), reason.why());
    }
  }

  private void forward(Source source, QueueLink link) throws JMSException {
    closing = () -> link.call(QueueLink.Kind.CLOSE, user(), source::close);
    int count = 0;
    int skipped = 0;
    boolean continues = true;
    Message next = source.next();
    while (next != null && count < max && continues && !isEnded()) {
      QueueDelivery delivery = read(next, link);
      if (delivery == null) {
        skipped++;
      } else {
        count++;
        continues = listener.onMessage(delivery);
      }
      next = source.next();
    }
    if (end()) {
      listener.onBrowsed(count, next != null, skipped);
    }
  }

  /** Returns null for a message that cannot be delivered. */
  private QueueDelivery read(Message message, QueueLink link) throws JMSException {
    try {
      return deliveries.read(message, 0, message.getJMSRedelivered(), link);
    } catch (Undeliverable e) {
      return null;
    }
  }

  @Override
  void onRefused(ErrorCode code, String why) {
    closeSource();
    listener.onRefused(code, why);
  }

  // The thread that reads may wait for messages that do not match.
  private void closeSource() {
    Runnable task = closing;
    if (task != null) {
      task.run();
    }
  }

  @Override
  public void close() {
    if (end()) {
      closeSource();
    }
  }
}
