package io.sluice.gateway.broker.nats;

import static io.sluice.gateway.protocol.Message.NO_IDENTITY;

import io.nats.client.Message;
import io.nats.client.Subscription;
import io.sluice.gateway.protocol.GapReason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeoutException;

/**
 * Messages of an interest in core subjects, which the server does not store: they have no identity,
 * and those of an outage are lost. Messages that arrive before the listener is active wait.
 */
final class CoreFeed implements NatsFeed {
  private static final int MAX_WAITING = 1_000;

  private final NatsLink link;
  private final NatsInterest interest;
  private final Runnable onActive;
  private Subscription subscription;

  // Guarded by this.
  private final Queue<Message> waiting = new ArrayDeque<>();
  private boolean missed;
  private boolean active;
  private boolean ended;

  /**
   * @param onActive notifies the listener that the interest is active; control thread
   */
  CoreFeed(NatsLink link, NatsInterest interest, Runnable onActive) {
    this.link = link;
    this.interest = interest;
    this.onActive = onActive;
  }

  @Override
  public void open() throws IOException, InterruptedException {
    Subscription opened = link.core().subscribe(interest.pattern(), this::onMessage);
    synchronized (this) {
      subscription = opened;
      if (ended) {
        link.unsubscribe(link.core(), opened);
      }
    }
    try {
      link.connection().flush(Duration.ofMillis(NatsLink.TIMEOUT_MS));
    } catch (TimeoutException e) {
      throw new IOException("the server does not respond", e);
    }
  }

  @Override
  public void begin() {
    onActive.run();
    synchronized (this) {
      active = true;
      waiting.forEach(this::deliver);
      waiting.clear();
      if (missed) {
        interest.missed(GapReason.OVERLOAD);
      }
    }
  }

  @Override
  public synchronized void end() {
    ended = true;
    waiting.clear();
    if (subscription != null) {
      link.unsubscribe(link.core(), subscription);
    }
  }

  /** The client has dropped messages that arrived too fast. Any thread. */
  synchronized void onDropped() {
    if (active && !ended) {
      interest.missed(GapReason.OVERLOAD);
    }
  }

  private synchronized void onMessage(Message message) {
    if (ended) {
      return;
    }
    if (active) {
      deliver(message);
    } else if (waiting.size() < MAX_WAITING) {
      waiting.add(message);
    } else {
      missed = true;
    }
  }

  private void deliver(Message message) {
    interest.deliver(message, NO_IDENTITY, System.currentTimeMillis());
  }
}
