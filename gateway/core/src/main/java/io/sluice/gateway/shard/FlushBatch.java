package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.metrics.CompressionMeters;
import io.sluice.gateway.metrics.EgressCounters;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.trace.MessageTrace;
import io.sluice.gateway.trace.TraceContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Batch of one drain of a shard's queue: the subscribers to flush, the buffers to release, and the
 * counters to report. Bound to the shard's event loop and reused for every drain.
 */
final class FlushBatch {
  /**
   * Maximum number of deliveries to clients before the event loop's other tasks run. This is at
   * most about 40 ms of system calls.
   */
  static final int MAX_VISITS = 8192;

  /** Maximum bytes of a batch, which the kernel must copy. */
  static final long MAX_BYTES = 32L << 20;

  private Subscriber[] touched = new Subscriber[64];
  private int touchedCount;
  private int visits;
  private long frames;
  private long bytes;
  private long[] timesMs = new long[16];
  private int[] counts = new int[16];
  private int messages;

  // Borrowed by the subscribers until they are flushed.
  private final List<ByteBuf> buffers = new ArrayList<>();
  private final List<EncodedMessage> encoded = new ArrayList<>();
  private final List<TracedMessage> traces = new ArrayList<>(0);
  private final Consumer<Throwable> onFault;
  private final CompressionTally compression = new CompressionTally();

  private record TracedMessage(MessageTrace trace, long timeMs, int clients) {}

  /**
   * Creates an empty batch.
   *
   * @param onFault receives the failure of a subscriber's flush
   */
  FlushBatch(Consumer<Throwable> onFault) {
    this.onFault = onFault;
  }

  /** Returns the counters of compressed messages. */
  CompressionTally compression() {
    return compression;
  }

  /** Releases a buffer at the end of the batch. */
  void releaseAtEnd(ByteBuf buffer) {
    buffers.add(buffer);
  }

  /** Releases the shard's reference to a message at the end of the batch. */
  void releaseAtEnd(EncodedMessage message) {
    encoded.add(message);
  }

  /** Returns whether the batch has reached a limit, so that the loop's other tasks must run. */
  boolean isFull() {
    return visits >= MAX_VISITS || bytes >= MAX_BYTES;
  }

  /** Returns the bytes passed to subscribers in this batch. */
  long bytes() {
    return bytes;
  }

  /** Returns the number of deliveries to clients in this batch. */
  int visits() {
    return visits;
  }

  /** Counts deliveries to clients. */
  void visited(int clients) {
    visits += clients;
  }

  /** Adds a subscriber to flush at the end. */
  void touched(Subscriber subscriber) {
    if (touchedCount == touched.length) {
      touched = Arrays.copyOf(touched, touchedCount * 2);
    }
    touched[touchedCount++] = subscriber;
  }

  /**
   * Counts frames passed to subscribers.
   *
   * @param count number of subscribers
   * @param framesEach frames per subscriber
   * @param bytesEach bytes per subscriber
   */
  void sent(int count, int framesEach, int bytesEach) {
    visited(count);
    frames += (long) count * framesEach;
    bytes += (long) count * bytesEach;
  }

  /** Records the latency of a message that {@code count} subscribers received. */
  void delivered(long timeMs, int count) {
    if (messages == timesMs.length) {
      timesMs = Arrays.copyOf(timesMs, messages * 2);
      counts = Arrays.copyOf(counts, messages * 2);
    }
    timesMs[messages] = timeMs;
    counts[messages++] = count;
  }

  /** Adds the trace of a message that {@code clients} live subscriptions received. */
  void traced(MessageTrace trace, long timeMs, int clients) {
    traces.add(new TracedMessage(trace, timeMs, clients));
  }

  /**
   * Flushes every touched subscriber once, releases the buffers, reports the counters and clears
   * the batch.
   *
   * @param flushed submits the sends that the flushes deferred to the end of the batch
   */
  void end(
      Runnable flushed, EgressCounters egress, CompressionMeters meters, LatencyRecorder latency) {
    long beganNs = traces.isEmpty() ? 0 : System.nanoTime();
    try {
      flush();
    } finally {
      sendAndRelease(flushed);
    }
    long nowMs = System.currentTimeMillis(); // latencies and their exemplars agree
    if (!traces.isEmpty()) {
      endTraces(beganNs, latency, nowMs);
    }
    report(egress, latency, nowMs);
    compression.report(meters);
  }

  private void endTraces(long beganNs, LatencyRecorder latency, long nowMs) {
    long endedNs = System.nanoTime();
    for (TracedMessage each : traces) {
      if (each.clients() > 0) {
        TraceContext context = each.trace().context();
        long micros = Math.max(0, nowMs - each.timeMs()) * 1000;
        latency.exemplar(micros, context.traceId(), context.spanId(), nowMs);
      }
      each.trace().onWritten(beganNs, endedNs, each.clients());
    }
    traces.clear();
  }

  private void sendAndRelease(Runnable flushed) {
    try {
      flushed.run();
    } finally {
      buffers.forEach(ByteBuf::release);
      buffers.clear();
      encoded.forEach(EncodedMessage::release);
      encoded.clear();
      visits = 0;
    }
  }

  private void flush() {
    int next = 0;
    try {
      while (next < touchedCount) {
        end(touched[next++]);
      }
    } finally {
      while (next < touchedCount) { // the report of a failure has failed
        abort(touched[next++], null);
      }
      Arrays.fill(touched, 0, touchedCount, null);
      touchedCount = 0;
    }
  }

  private void report(EgressCounters egress, LatencyRecorder latency, long nowMs) {
    if (frames > 0) {
      egress.add(frames, bytes);
      frames = 0;
      bytes = 0;
    }
    for (int i = 0; i < messages; i++) {
      latency.record(Math.max(0, nowMs - timesMs[i]) * 1000, counts[i]);
    }
    messages = 0;
  }

  // The failure of one client must not delay the frames of others.
  private void end(Subscriber subscriber) {
    try {
      subscriber.onBatchEnd();
    } catch (RuntimeException | Error e) {
      abort(subscriber, e);
      onFault.accept(e);
    }
  }

  // Before the buffers are released, to which the subscriber may still refer.
  private static void abort(Subscriber subscriber, Throwable cause) {
    try {
      subscriber.onBatchFailed();
    } catch (RuntimeException | Error e) {
      if (cause == null) {
        throw e;
      }
      cause.addSuppressed(e);
    }
  }
}
