package io.sluice.gateway.broker.nats;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Queue of read-backs, which run one at a time on a separate thread. Any thread. */
final class ReadBackQueue {
  private static final int MAX_WAITING = 1_000;
  private static final long IDLE_S = 10;

  private final Supplier<NatsLink> link;
  private final NatsReader.Rules rules;
  private final ThreadPoolExecutor reader =
      new ThreadPoolExecutor(
          1, 1, IDLE_S, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), this::thread);

  /**
   * @param link returns the current connection, or null
   */
  ReadBackQueue(Supplier<NatsLink> link, NatsReader.Rules rules) {
    this.link = link;
    this.rules = rules;
    reader.allowCoreThreadTimeOut(true);
  }

  private Thread thread(Runnable task) {
    Thread thread = new Thread(task, "sluice-nats-read-back");
    thread.setDaemon(true);
    return thread;
  }

  void add(ReadBack request) {
    try {
      reader.execute(() -> read(request));
    } catch (RejectedExecutionException e) {
      request.answer().accept(null, "too many read-backs are waiting");
    }
  }

  private void read(ReadBack request) {
    NatsLink current = link.get();
    if (current == null) {
      request.answer().accept(null, "the source is not connected");
      return;
    }
    List<Message> messages = null;
    String why = null;
    try {
      messages = new StreamReadBack(current, request, rules).read();
    } catch (StreamReadBack.Refused e) {
      why = e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      why = "the node is stopping";
    } catch (Exception e) { // the client may fail in any way
      why = "the server failed: " + e.getMessage();
    }
    request.answer().accept(messages, why);
  }

  void stop() {
    reader.shutdownNow();
  }
}
