package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counters of messages sent to clients with permessage-deflate, by form. Any thread. */
public final class CompressionMeters {
  /** Compressed without reference to another message. */
  public static final int FULL = 0;

  /** Compressed with reference to the previous message of the stream. */
  public static final int NEXT = 1;

  /** Not compressed. */
  public static final int NONE = 2;

  /** Number of forms. */
  public static final int FORMS = 3;

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String[] NAMES = {"full", "next", "none"};

  private final LongAdder[] messages = new LongAdder[FORMS];
  private final LongAdder[] before = new LongAdder[FORMS];
  private final LongAdder[] after = new LongAdder[FORMS];
  private final LongAdder nanos = new LongAdder();

  CompressionMeters(MeterRegistry registry) {
    for (int form = 0; form < FORMS; form++) {
      messages[form] =
          counter(
              registry,
              "sluice.compression.messages",
              null,
              form,
              "Messages sent to clients with permessage-deflate or compressed frames, by form: full"
                  + " (compressed alone), next (with the previous message), none (not"
                  + " compressed).");
      before[form] =
          counter(
              registry,
              "sluice.compression.before",
              "bytes",
              form,
              "Bytes of the frames of these messages before compression.");
      after[form] =
          counter(
              registry,
              "sluice.compression.after",
              "bytes",
              form,
              "Bytes of the frames of these messages after compression.");
    }
    FunctionCounter.builder("sluice.compression", nanos, adder -> adder.sum() / NANOS)
        .baseUnit("seconds")
        .description("Time of the compression of messages, estimated from every 16th.")
        .register(registry);
  }

  /** Returns the counter of the time of compression, in nanoseconds. */
  public LongAdder nanos() {
    return nanos;
  }

  private static LongAdder counter(
      MeterRegistry registry, String name, String unit, int form, String meaning) {
    LongAdder adder = new LongAdder();
    FunctionCounter.builder(name, adder, LongAdder::sum)
        .tag("form", NAMES[form])
        .baseUnit(unit)
        .description(meaning)
        .register(registry);
    return adder;
  }

  /** Returns the bytes of all frames before compression. */
  public long bytesBefore() {
    return sum(before);
  }

  /** Returns the bytes of all frames after compression. */
  public long bytesAfter() {
    return sum(after);
  }

  private static long sum(LongAdder[] adders) {
    return Arrays.stream(adders).mapToLong(LongAdder::sum).sum();
  }

  /** Counts messages of one form with their bytes. */
  public void sent(int form, long count, long bytesBefore, long bytesAfter) {
    messages[form].add(count);
    before[form].add(bytesBefore);
    after[form].add(bytesAfter);
  }
}
