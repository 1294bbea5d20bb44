package io.sluice.gateway.hub;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.LatencyRecorder;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one drain of a shard's queue has touched: the subscribers to flush and the messages to
 * account for. Bound to the shard's event loop and used again for every drain.
 */
final class Batch {
  private static final Logger log = LoggerFactory.getLogger(Batch.class);

  private Subscriber[] touched = new Subscriber[64];
  private int touchedCount;
  private long frames;
  private long bytes;
  private long[] timesMs = new long[16];
  private int[] counts = new int[16];
  private int messages;

  void touched(Subscriber subscriber) {
    if (touchedCount == touched.length) {
      touched = Arrays.copyOf(touched, touchedCount * 2);
    }
    touched[touchedCount++] = subscriber;
  }

  void sent(int count, int size) {
    frames += count;
    bytes += (long) count * size;
  }

  void delivered(long timeMs, int count) {
    if (messages == timesMs.length) {
      timesMs = Arrays.copyOf(timesMs, messages * 2);
      counts = Arrays.copyOf(counts, messages * 2);
    }
    timesMs[messages] = timeMs;
    counts[messages++] = count;
  }

  /** Flushes every touched subscriber once, reports, and is empty again. */
  void end(GatewayMetrics metrics, LatencyRecorder latency) {
    for (int i = 0; i < touchedCount; i++) {
      Subscriber subscriber = touched[i];
      touched[i] = null;
      end(subscriber);
    }
    touchedCount = 0;
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
  private static void end(Subscriber subscriber) {
    try {
      subscriber.onBatchEnd();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.atError().setCause(e).log("shard.fault");
    }
  }
}
