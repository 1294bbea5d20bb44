package io.sluice.gateway;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Control thread of the node. Any thread may schedule tasks. Failures of tasks are logged and
 * periodic tasks continue, while the base class would discard both.
 */
final class ControlThread extends ScheduledThreadPoolExecutor {
  private static final Logger log = LoggerFactory.getLogger(ControlThread.class);

  // Topics schedule linger tasks by the thousand and cancel most of them, so cancelled tasks are
  // removed at once. A node that stops runs none of the delayed tasks.
  ControlThread() {
    super(1, task -> new Thread(task, "sluice-control"));
    setRemoveOnCancelPolicy(true);
    setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Schedules a task; {@link #execute} calls this method. */
  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return super.schedule(() -> run(task), delay, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return super.scheduleWithFixedDelay(() -> run(task), initialDelay, delay, unit);
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RejectedExecutionException e) {
      // A node that stops accepts no further task, such as closing an unused topic later.
      if (!isShutdown()) {
        log.atError().setCause(e).log("control.fault");
      }
    } catch (Throwable e) {
      log.atError().setCause(e).log("control.fault");
    }
  }
}
