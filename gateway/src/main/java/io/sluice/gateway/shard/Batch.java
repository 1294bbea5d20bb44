package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.LatencyRecorder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Accounts of one drain of a shard's queue: the subscribers to flush and the messages to account
 * for. Bound to the shard's event loop and used again for every drain.
 */
final class Batch {
  /**
   * How often something is handed to a client before the loop's other tasks have their turn: some
   * 40 ms of system calls at the worst.
   */
  static final int MOST_VISITS = 8192;

  /** The same in bytes, which the kernel has to copy. */
  static final long MOST_BYTES = 32L << 20;

  private Subscriber[] touched = new Subscriber[64];
  private int touchedCount;
  private int visits;
  private long frames;
  private long bytes;
  private long[] timesMs = new long[16];
  private int[] counts = new int[16];
  private int messages;

  // Lent to the subscribers until they are flushed.
  private final List<ByteBuf> buffers = new ArrayList<>();
  private final List<EncodedMessage> fanouts = new ArrayList<>();
  private final Consumer<Throwable> onFault;

  /**
   * Creates one that is empty.
   *
   * @param onFault receives the failure of a subscriber's flush
   */
  Batch(Consumer<Throwable> onFault) {
    this.onFault = onFault;
  }

  /** Releases a buffer when the batch has ended. */
  void releaseAtEnd(ByteBuf buffer) {
    buffers.add(buffer);
  }

  /** Gives the shard's share of a message back when the batch has ended. */
  void releaseAtEnd(EncodedMessage fanout) {
    fanouts.add(fanout);
  }

  /** Whether enough has been handed over for one turn of the event loop. */
  boolean isFull() {
    return visits >= MOST_VISITS || bytes >= MOST_BYTES;
  }

  /** How often something was handed to a client in this batch. */
  int visits() {
    return visits;
  }

  /** So many clients were handed something. */
  void visited(int clients) {
    visits += clients;
  }

  void touched(Subscriber subscriber) {
    if (touchedCount == touched.length) {
      touched = Arrays.copyOf(touched, touchedCount * 2);
    }
    touched[touchedCount++] = subscriber;
  }

  /**
   * Counts what was handed over.
   *
   * @param count subscribers
   * @param framesEach frames that each of them got
   * @param bytesEach size of these together
   */
  void sent(int count, int framesEach, int bytesEach) {
    visited(count);
    frames += (long) count * framesEach;
    bytes += (long) count * bytesEach;
  }

  void delivered(long timeMs, int count) {
    if (messages == timesMs.length) {
      timesMs = Arrays.copyOf(timesMs, messages * 2);
      counts = Arrays.copyOf(counts, messages * 2);
    }
    timesMs[messages] = timeMs;
    counts[messages++] = count;
  }

  /**
   * Flushes every touched subscriber once, releases what was lent to them, reports, and is empty
   * again.
   *
   * @param flushed sends what the subscribers' flushes have left to the end of the batch
   */
  void end(Runnable flushed, GatewayMetrics metrics, LatencyRecorder latency) {
    try {
      flush();
    } finally {
      sendAndRelease(flushed);
    }
    report(metrics, latency);
  }

  private void sendAndRelease(Runnable flushed) {
    try {
      flushed.run();
    } finally {
      buffers.forEach(ByteBuf::release);
      buffers.clear();
      fanouts.forEach(EncodedMessage::release);
      fanouts.clear();
      visits = 0;
    }
  }

  private void flush() {
    for (int i = 0; i < touchedCount; i++) {
      Subscriber subscriber = touched[i];
      touched[i] = null;
      end(subscriber);
    }
    touchedCount = 0;
  }

  private void report(GatewayMetrics metrics, LatencyRecorder latency) {
    if (frames > 0) {
      metrics.framesOut(frames, bytes);
      frames = 0;
      bytes = 0;
    }
    long nowMs = System.currentTimeMillis();
    for (int i = 0; i < messages; i++) {
      latency.record(Math.max(0, nowMs - timesMs[i]) * 1000, counts[i]);
    }
    messages = 0;
  }

  // One client that fails must not keep the others' frames back.
  private void end(Subscriber subscriber) {
    try {
      subscriber.onBatchEnd();
    } catch (RuntimeException | Error e) {
      onFault.accept(e);
    }
  }
}
