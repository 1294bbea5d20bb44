package io.sluice.gateway.trace;

import io.sluice.gateway.config.RequestFailure;
import io.sluice.gateway.metrics.TraceMeters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of the traces to export, and the thread that exports them in batches. A full queue drops
 * and counts traces. The failure of an export is logged once, until one succeeds.
 */
final class SpanQueue implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SpanQueue.class);
  private static final int MAX_BATCH = 128;
  private static final long MAX_DELAY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MS = 3_000;

  /** Destination of the spans. Called by one thread. */
  interface Export extends AutoCloseable {
    /** Exports the spans of some traces; returns null, or why it failed. */
    String export(List<EndedTrace> traces);

    /** Returns the URL of the receiver, for logs. */
    String endpoint();

    @Override
    void close();
  }

  private final BlockingQueue<EndedTrace> queue;
  private final Export export;
  private final TraceMeters meters;
  private final Thread thread = new Thread(this::run, "sluice-tracing");
  private volatile boolean closing;
  private boolean failing;

  SpanQueue(int capacity, Export export, TraceMeters meters) {
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.export = export;
    this.meters = meters;
  }

  SpanQueue start() {
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  /** Adds an ended trace, unless the queue is full. Any thread. */
  void add(EndedTrace trace) {
    if (!queue.offer(trace)) {
      meters.droppedTraces(TraceMeters.QUEUE_FULL, 1);
    }
  }

  private void run() {
    try {
      while (!closing || !queue.isEmpty()) {
        List<EndedTrace> batch = nextBatch();
        if (!batch.isEmpty()) {
          export(batch);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the node has stopped
    } finally {
      export.close();
    }
  }

  private List<EndedTrace> nextBatch() throws InterruptedException {
    List<EndedTrace> batch = new ArrayList<>();
    long untilNs = System.nanoTime() + MAX_DELAY_NS;
    while (batch.size() < MAX_BATCH) {
      long leftNs = closing ? 0 : untilNs - System.nanoTime();
      EndedTrace next = queue.poll(leftNs, TimeUnit.NANOSECONDS);
      if (next == null) {
        break;
      }
      batch.add(next);
    }
    return batch;
  }

  private void export(List<EndedTrace> batch) {
    String failure;
    try {
      failure = export.export(batch);
    } catch (RuntimeException e) {
      failure = RequestFailure.reason(e);
    }
    if (failure == null) {
      meters.exportedTraces(batch.size());
    } else {
      meters.droppedTraces(TraceMeters.EXPORT_FAILED, batch.size());
    }
    logChange(failure);
  }

  private void logChange(String failure) {
    if (failure != null && !failing) {
      log.atWarn()
          .addKeyValue("endpoint", export.endpoint())
          .addKeyValue("reason", failure)
          .log("tracing.export-failed");
    } else if (failure == null && failing) {
      log.atInfo().log("tracing.export-restored");
    }
    failing = failure != null;
  }

  @Override
  public void close() {
    closing = true;
    try {
      thread.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
  }
}
