package io.sluice.gateway.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers of event loops, whose failures are logged: Netty only stores them. */
final class LoopTimers {
  private static final Logger log = LoggerFactory.getLogger(LoopTimers.class);
  private static final GenericFutureListener<Future<Object>> REPORT = LoopTimers::report;

  private LoopTimers() {}

  /** Runs a task on a loop after a time; with 0 behind the I/O that waits now. */
  static void schedule(EventExecutor loop, Runnable task, long delay, TimeUnit unit) {
    loop.schedule(task, delay, unit).addListener(REPORT);
  }

  private static void report(Future<Object> done) {
    if (!done.isSuccess() && !done.isCancelled()) {
      log.atError().setCause(done.cause()).log("client.bug");
    }
  }
}
