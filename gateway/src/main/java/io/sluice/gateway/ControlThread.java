package io.sluice.gateway;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's control thread. An executor keeps what a task throws to itself and never runs a
 * periodic one again; this one says it, and goes on.
 */
final class ControlThread extends ScheduledThreadPoolExecutor {
  private static final Logger log = LoggerFactory.getLogger(ControlThread.class);

  // Topics come and go by the thousand, each with a farewell that is mostly cancelled; and a node
  // that stops waits for none of them.
  ControlThread() {
    super(1, task -> new Thread(task, "sluice-control"));
    setRemoveOnCancelPolicy(true);
    setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Also what {@link #execute} comes to. */
  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return super.schedule(() -> run(task), delay, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return super.scheduleWithFixedDelay(() -> run(task), initialDelay, delay, unit);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      log.atError().setCause(e).log("control.fault");
    }
  }
}
