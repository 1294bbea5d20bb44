package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests of timers whose task fails. */
final class LoopTimersTest {
  @Test
  void shouldLogTheFailureOfATask() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(LoopTimers.class);
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    events.start();
    logger.addAppender(events);
    DefaultEventExecutor loop = new DefaultEventExecutor();
    Runnable failing =
        () -> {
          throw new IllegalStateException("of a will");
        };
    LoopTimers.schedule(loop, failing, 1, TimeUnit.MILLISECONDS);
    loop.schedule(() -> {}, 2, TimeUnit.MILLISECONDS).sync();
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    logger.detachAppender(events);
    assertThat(events.list)
        .singleElement()
        .satisfies(
            each -> assertThat(each.getThrowableProxy().getMessage()).isEqualTo("of a will"));
  }
}
