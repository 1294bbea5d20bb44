package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;

/**
 * Bounded queue of unanswered publishes, requests and transactions. They wait for a connection;
 * those with an identifier are sent again after its end. Any thread may call it.
 */
final class Publishes {
  private static final class Entry {
    private final Map<String, Object> frame;
    private final boolean isRepeatable;
    private final CompletableFuture<Frame> result = new CompletableFuture<>();
    private ScheduledFuture<?> timer;

    /** Connection that has sent the frame; null while it waits. */
    private Connection sentOn;

    Entry(Map<String, Object> frame, boolean isRepeatable) {
      this.frame = frame;
      this.isRepeatable = isRepeatable;
    }
  }

  private final SluiceClient client;
  private final int max;
  private final Map<Long, Entry> unanswered = new LinkedHashMap<>();
  private Connection connection;

  /** Set while new frames wait for a move. */
  private boolean isPaused;

  /** Reason of the end of the client; null before. */
  private SluiceException closed;

  Publishes(SluiceClient client, int max) {
    this.client = client;
    this.max = max;
  }

  /**
   * Sends a frame now or with the next connection.
   *
   * @param timeoutCode code of the error if no answer arrives within {@code timeoutMs}
   */
  synchronized CompletableFuture<Frame> send(
      Map<String, Object> frame, boolean isRepeatable, long timeoutMs, String timeoutCode) {
    Entry entry = new Entry(frame, isRepeatable);
    SluiceException refusal = refusal();
    if (refusal != null) {
      entry.result.completeExceptionally(refusal);
      return entry.result;
    }
    long ref = client.nextRef();
    frame.put("ref", ref);
    unanswered.put(ref, entry);
    entry.timer = client.after(timeoutMs, () -> expire(ref, timeoutMs, timeoutCode));
    if (connection != null && !isPaused) {
      transmit(ref, entry);
    }
    return entry.result;
  }

  private SluiceException refusal() {
    if (closed != null || unanswered.size() < max) {
      return closed;
    }
    String message = unanswered.size() + " publishes are unanswered; maxPublishes is " + max;
    return new SluiceException("publish-queue-full", message);
  }

  synchronized void onOpen(Connection opened) {
    connection = opened;
    isPaused = false;
    transmitAll();
  }

  /** Keeps new frames for the next connection. Returns whether they were sent until now. */
  synchronized boolean pause(Connection paused) {
    boolean isNew = connection == paused && !isPaused;
    isPaused |= isNew;
    return isNew;
  }

  /** Sends new frames on this connection again. */
  synchronized void resume(Connection resumed) {
    if (connection == resumed && isPaused) {
      isPaused = false;
      transmitAll();
    }
  }

  /** Returns whether new frames wait for a move. */
  synchronized boolean isPaused() {
    return isPaused;
  }

  /** Returns whether the connection owes no answer, except to requests, which may take long. */
  synchronized boolean isSettled(Connection sender) {
    return unanswered.values().stream()
        .noneMatch(entry -> entry.sentOn == sender && !"request".equals(entry.frame.get("type")));
  }

  synchronized void onEnd(Connection ended) {
    if (connection == ended) {
      connection = null;
    }
  }

  private void transmitAll() {
    for (Long ref : new ArrayList<>(unanswered.keySet())) {
      Entry entry = unanswered.get(ref);
      if (entry.sentOn == null) {
        transmit(ref, entry);
      }
    }
  }

  private void transmit(long ref, Entry entry) {
    if (entry.isRepeatable && !connection.hasFeature("publish-id")) {
      String message = "the node does not support the option id";
      finish(ref, null, new SluiceException("unsupported", message));
      return;
    }
    Connection sender = connection;
    entry.sentOn = sender;
    sender.call(ref, entry.frame).whenComplete((answer, error) -> onAnswer(ref, answer, error));
  }

  private synchronized void onAnswer(long ref, Frame answer, Throwable error) {
    Entry entry = unanswered.get(ref);
    boolean isLost =
        error instanceof SluiceException
            && ((SluiceException) error).code().equals("connection-lost");
    if (entry != null && isLost && entry.isRepeatable) {
      repeat(ref, entry);
    } else {
      finish(ref, answer, error);
    }
  }

  /** Sends a frame on the connection of a move that was completed before this loss. */
  private void repeat(long ref, Entry entry) {
    Connection lost = entry.sentOn;
    entry.sentOn = null;
    if (connection != null && connection != lost && !isPaused) {
      transmit(ref, entry);
    }
  }

  private synchronized void expire(long ref, long timeoutMs, String code) {
    Entry entry = unanswered.get(ref);
    if (entry != null) {
      String state = entry.sentOn == null ? "it was not sent" : "it had been sent";
      String message = "no answer within " + timeoutMs + " ms; " + state;
      if (entry.sentOn != null) {
        entry.sentOn.forget(ref);
      }
      finish(ref, null, new SluiceException(code, message));
    }
  }

  private void finish(long ref, Frame answer, Throwable error) {
    Entry entry = unanswered.remove(ref);
    if (entry == null) {
      return;
    }
    entry.timer.cancel(false);
    if (error == null) {
      entry.result.complete(answer);
    } else {
      entry.result.completeExceptionally(error);
    }
  }

  synchronized void close(SluiceException reason) {
    closed = reason;
    new ArrayList<>(unanswered.keySet()).forEach(ref -> finish(ref, null, reason));
  }
}
