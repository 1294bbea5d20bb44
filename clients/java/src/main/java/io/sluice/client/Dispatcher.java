package io.sluice.client;

import io.sluice.client.internal.BadFrameException;
import io.sluice.client.internal.Frame;
import io.sluice.client.internal.FrameQuota;
import io.sluice.client.internal.SerialExecutor;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Order of the frames, requests and listeners of one client. Subscriptions and consumers are
 * changed only by its tasks, one at a time. A full queue blocks the thread that reads the socket.
 */
final class Dispatcher {
  private static final Set<String> MESSAGES = Set.of("message", "gap");

  private final SluiceClient client;
  private final SerialExecutor executor;
  private final FrameQuota quota;
  private final Subscriptions subscriptions;
  private final Consumers consumers;
  private final Presences presences;

  /** Connection whose frames count; null between connections. */
  private Connection active;

  private volatile boolean isClosed;

  Dispatcher(SluiceClient client, Executor listeners, int maxQueuedFrames) {
    this.client = client;
    executor = new SerialExecutor(listeners);
    quota = new FrameQuota(maxQueuedFrames);
    subscriptions = new Subscriptions(client);
    consumers = new Consumers(client);
    presences = new Presences(client);
  }

  /** Runs a task that changes subscriptions or consumers. */
  void execute(Runnable task) {
    executor.execute(task);
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  Consumers consumers() {
    return consumers;
  }

  Presences presences() {
    return presences;
  }

  void onOpen(Connection connection) {
    execute(
        () -> {
          active = connection;
          subscriptions.onOpen(connection);
          consumers.onOpen(connection);
          presences.onOpen(connection);
        });
  }

  /** Requests again what was refused, because the node has accepted another credential. */
  void onRefreshed(Connection connection) {
    execute(
        () -> {
          if (active == connection) {
            subscriptions.onRefreshed();
            consumers.onRefreshed();
            presences.onRefreshed();
          }
        });
  }

  /** Continues on another connection; a task. */
  void onMove(Connection connection, Map<Long, Subscription> refs) {
    active = connection;
    subscriptions.onMove(connection, refs);
    consumers.onMove(connection);
    presences.onOpen(connection);
  }

  void onEnd(Connection connection) {
    execute(
        () -> {
          consumers.onEnd(connection);
          if (active == connection) {
            active = null;
            subscriptions.onEnd();
            presences.onEnd();
          }
        });
  }

  /** Queues a frame; waits while the queue is full. */
  void onFrame(Connection connection, Frame frame) {
    enqueue(connection, () -> handle(connection, frame));
  }

  /** Queues the task for a frame; waits while the queue is full. */
  void enqueue(Connection connection, Runnable task) {
    quota.acquire(connection::isIdle, connection::isEnded);
    execute(
        () -> {
          quota.release();
          task.run();
        });
  }

  /** Handles a frame; a task. */
  void handle(Connection connection, Frame frame) {
    boolean isRefusal = connection.hello() == null;
    boolean isActive = active == connection || isRefusal;
    if (isClosed || !(isActive || consumers.isAttached(connection))) {
      return;
    }
    if (frame.type().equals(Frame.UNREADABLE)) {
      onUnreadable(frame, isActive, new SluiceException("bad-answer", frame.text("message")));
      return;
    }
    try {
      if (!consumers.onFrame(frame) && isActive) {
        handle(frame);
      }
    } catch (BadFrameException e) {
      onUnreadable(
          frame, isActive && !isRefusal, new SluiceException("bad-answer", e.getMessage(), e));
    }
  }

  /** Isolates the consumer or the subscriptions of an unreadable frame. */
  private void onUnreadable(Frame frame, boolean isActive, SluiceException error) {
    client.report(error);
    Object type = frame.get("type");
    if ("delivery".equals(type)) {
      consumers.onUnreadable(frame);
    } else if (isActive && "subscribed".equals(type)) {
      subscriptions.onUnreadableAnswer(frame, error);
    } else if (isActive && (type == null || MESSAGES.contains(type))) {
      subscriptions.onUnreadable(frame);
    }
  }

  private void handle(Frame frame) {
    switch (frame.type()) {
      case "subscribed":
        subscriptions.onSubscribed(frame);
        break;
      case "message":
        subscriptions.onMessage(frame);
        break;
      case "gap":
        subscriptions.onGap(frame);
        break;
      case "caught-up":
        subscriptions.onCaughtUp(frame.number("time"));
        break;
      case "present":
        presences.onPresent(frame);
        break;
      case "error":
        if (!subscriptions.onError(frame) && !presences.onError(frame)) {
          client.report(Connection.error(frame));
        }
        break;
      default:
        // Late answers, and types of later versions of the protocol.
    }
  }

  void close() {
    isClosed = true;
    quota.close();
    execute(
        () -> {
          active = null;
          subscriptions.onClose();
          consumers.onClose();
          presences.onClose();
        });
  }
}
