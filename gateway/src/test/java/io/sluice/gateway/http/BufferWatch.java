package io.sluice.gateway.http;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/**
 * Leak check of all buffers of this process while it is open. For the test's thread.
 *
 * <p>Unreleased buffers are found by Netty's leak detector at its strictest level. Double releases
 * and other internal errors are found in the logs of Netty and the node. Retained buffers are found
 * by the pool's count.
 */
final class BufferWatch implements AutoCloseable {
  private static final String LEAK = "LEAK: ByteBuf";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Bytes that may be in use at any time, such as for a response of the admin port. */
  private static final long OTHER_USE = 64 << 10;

  private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
  private final Queue<String> leaks = new ConcurrentLinkedQueue<>();
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private final Appender appender = new Appender();
  private final Logger netty = logger("io.netty");
  private final List<Logger> watched = List.of(netty, logger("io.vertx"), logger("io.sluice"));
  private long bytesInUse;

  BufferWatch() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    netty.setLevel(Level.WARN); // says there what could not be released
    netty.setAdditive(false); // says it in the test's failure
    appender.start();
    watched.forEach(logger -> logger.addAppender(appender));
    hearOfAllLeaks(); // of others, before
    leaks.clear();
  }

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }

  /** Starts to count buffers. Called when a node is started: Vert.x disables the detector. */
  void mark() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    faults.clear();
    bytesInUse = bytesInUse();
  }

  /** Fails if a buffer leaked, was released twice, or code failed. */
  void assertNothingLeaked() {
    hearOfAllLeaks();
    assertThat(leaks).as("leaked buffers").isEmpty();
    assertThat(faults).as("what failed meanwhile").isEmpty();
  }

  /** Fails unless all buffers allocated since {@link #mark} are back in the pool. */
  void awaitMemoryBack() {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(bytesInUse() - bytesInUse)
                    .as("bytes that the pool has not got back")
                    .isLessThan(OTHER_USE));
  }

  private static long bytesInUse() {
    return PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
  }

  // A leak is reported when the buffer is collected and another buffer is allocated. The second
  // leaked
  // buffer is dropped after the report of the first. Its report means that all earlier leaks are
  // reported.
  private void hearOfAllLeaks() {
    hearOfAStray();
    hearOfAStray();
  }

  private void hearOfAStray() {
    String mark = "stray " + UUID.randomUUID();
    letAStrayGo(mark);
    await()
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              System.gc();
              PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
              return leaks.removeIf(report -> report.contains(mark));
            });
  }

  // An unpooled buffer on the heap.
  private static void letAStrayGo(String mark) {
    UnpooledByteBufAllocator.DEFAULT.compositeHeapBuffer(1).touch(mark);
  }

  @Override
  public void close() {
    watched.forEach(logger -> logger.detachAppender(appender));
    netty.setAdditive(true);
    netty.setLevel(null);
    ResourceLeakDetector.setLevel(before);
  }

  private final class Appender extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      if (event.getFormattedMessage().startsWith(LEAK)) {
        leaks.add(event.getFormattedMessage());
      } else if (event.getLevel().isGreaterOrEqual(Level.WARN)) { // others may log more
        faults.add(text(event));
      }
    }

    private static String text(ILoggingEvent event) {
      String trace =
          event.getThrowableProxy() == null
              ? ""
              : ThrowableProxyUtil.asString(event.getThrowableProxy())
                  .lines()
                  .limit(12)
                  .collect(joining("\n"));
      return event.getLoggerName() + ": " + event.getFormattedMessage() + "\n" + trace;
    }
  }
}
