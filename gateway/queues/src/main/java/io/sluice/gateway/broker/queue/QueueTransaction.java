package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.trace.TraceContext;
import io.sluice.gateway.trace.TraceLog;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction without acknowledgements. A broker that blocks a producer delays only this
 * transaction, which ends after its time limit. Any thread.
 */
final class QueueTransaction implements LinkUser {
  private static final Logger log = LoggerFactory.getLogger(QueueTransaction.class);
  private static final String LATE = "the broker did not respond in time";
  private static final String STOPPING = "the node is stopping";

  private enum State {
    WAITING,
    RUNNING,
    ENDED
  }

  private final LinkUser.Owner owner;
  private final List<Publication> publications;
  private final PublishListener listener;
  private final long limitNs;
  private volatile long startedNs;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

  /** Null before the connection is established. */
  private volatile Future<?> call;

  QueueTransaction(
      LinkUser.Owner owner,
      List<Publication> publications,
      PublishListener listener,
      long timeoutMs) {
    this.owner = owner;
    this.publications = publications;
    this.listener = listener;
    this.limitNs = owner.nowNs() + timeoutMs * 1_000_000;
  }

  @Override
  public String user() {
    return listener.requester().user();
  }

  @Override
  public void onConnected(QueueLink link) {
    FutureTask<Void> task = new FutureTask<>(() -> run(link), null);
    call = task;
    link.call(
        QueueLink.Kind.TRANSACTION,
        user(),
        new QueueLink.SendTask() {
          @Override
          public void run() {
            task.run();
          }

          @Override
          public Set<String> destinations() {
            return QueueTransaction.destinations(publications);
          }

          @Override
          public void onBlocked(String why) {
            refuse(why);
          }
        });
  }

  /** Returns the destinations of messages in words. */
  static Set<String> destinations(List<Publication> publications) {
    return publications.stream()
        .map(Publication::destination)
        .map(each -> (each.isQueue() ? "queue " : "topic ") + each.name())
        .collect(Collectors.toSet());
  }

  private void run(QueueLink link) {
    startedNs = owner.nowNs();
    if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
      return;
    }
    try {
      link.publish(publications);
    } catch (Throwable e) { // a provider's client may fail in any way
      TraceLog.withTrace(log.atWarn(), traceparent())
          .addKeyValue("session", listener.requester().session())
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
          .log("transaction.refused");
      refuse(PartRefused.explanation(e));
      return;
    }
    if (end() != State.ENDED) {
      listener.onPublished();
    }
  }

  /** Returns the first trace context of the messages, or null. */
  private Object traceparent() {
    return publications.stream()
        .map(each -> each.properties().get(TraceContext.PARENT))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Ends the transaction. A running one may have been stored. */
  private void refuse(String why) {
    State before = end();
    if (before != State.ENDED) {
      listener.onRefused(
          before == State.RUNNING ? ErrorCode.TRANSACTION_FAILED : ErrorCode.BROKER_UNAVAILABLE,
          why);
    }
  }

  /** Ends the transaction and returns its former state. */
  private State end() {
    State before = state.getAndSet(State.ENDED);
    if (before != State.ENDED) {
      owner.remove(this);
    }
    return before;
  }

  @Override
  public void onLost(String why) {
    refuse(why);
  }

  @Override
  public void check(long nowNs) {
    boolean blocked =
        state.get() == State.RUNNING && nowNs - startedNs >= ConsumerCalls.MAX_SEND_NS;
    if (blocked || nowNs - limitNs >= 0) {
      refuse(
          state.get() == State.RUNNING
              ? QueueLink.SendTask.blocked(destinations(publications))
              : LATE);
      Future<?> hanging = call;
      if (hanging != null) {
        hanging.cancel(true);
      }
    }
  }

  @Override
  public boolean isOverdue(long nowNs) {
    return false;
  }

  @Override
  public void close() {
    refuse(STOPPING);
  }

  // A running transaction may end before the connection is closed.
  @Override
  public void stop() {
    if (state.get() == State.WAITING) {
      refuse(STOPPING);
    }
  }
}
