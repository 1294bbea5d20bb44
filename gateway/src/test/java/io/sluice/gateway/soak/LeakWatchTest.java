package io.sluice.gateway.soak;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class LeakWatchTest {
  private final Logger reports = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);

  /** Disables Netty's log of leaks. Without a log Netty detects no leaks. */
  @BeforeEach
  void hideReports() {
    reports.setAdditive(false);
  }

  @AfterEach
  void showReports() {
    reports.setAdditive(true);
  }

  @Test
  void shouldReportLeakedBuffer() {
    try (LeakWatch watch = new LeakWatch()) {
      UnpooledByteBufAllocator.DEFAULT.directBuffer(16);
      assertThat(watch.reports()).singleElement().asString().contains("LeakWatchTest");
    }
  }

  @Test
  void shouldNotReportReleasedBuffers() {
    try (LeakWatch watch = new LeakWatch()) {
      UnpooledByteBufAllocator.DEFAULT.directBuffer(16).release();
      assertThat(watch.reports()).isEmpty();
    }
  }
}
