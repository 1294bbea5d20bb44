package io.sluice.gateway.multicast;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of multicast: it runs Aeron's driver and client, and the ports of this node. It exists
 * while there is a port. For any thread, except where a method states otherwise.
 */
final class GroupTransport {
  private static final Logger log = LoggerFactory.getLogger(GroupTransport.class);

  /** Interval of {@link Port#onTick}. */
  static final long TICK_MS = 100;

  /** Bytes of one of three buffers of each sender and receiver. */
  static final int TERM_BYTES = 4 << 20;

  private static final long SHORT_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONG_PARK_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Turns without work after which the thread yields no longer, and pauses longer. */
  private static final int BUSY_TURNS = 20;

  private static final int SHORT_PARKS = 200;
  private static final int PARKS = 2_000;
  private static final long RESTART_MS = 60_000;
  private static final long JOIN_MS = 5_000;

  /** The driver runs in the same thread as its client: none of them can survive the other. */
  private static final long NEVER_NS = TimeUnit.DAYS.toNanos(1);

  /** User of the transport. Called by its thread. */
  interface Port {
    /** Opens the port; throws exceptions of Aeron. */
    void open(Aeron aeron);

    /** Sends and receives; returns 0 if there is nothing to do. */
    int work();

    /** Called at {@link #TICK_MS}. */
    void onTick();

    /** The port does not work; {@link #open} follows when that may have changed. */
    void onFailed(String why);

    /** Closes the port. */
    void close();
  }

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final List<Port> ports = new ArrayList<>();
  private Aeron aeron;
  private int idle;
  private long tickedNs = System.nanoTime();
  private volatile Thread thread;
  private volatile boolean stopped;

  /** Returns why multicast is not possible in this process; null if it is. */
  static String problem() {
    Module own = GroupTransport.class.getModule();
    return Object.class.getModule().isExported("jdk.internal.misc", own)
        ? null
        : "multicast requires Java's option --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
  }

  void add(Port port) {
    execute(
        () -> {
          ports.add(port);
          if (aeron != null) {
            open(port);
          }
        });
  }

  void remove(Port port) {
    execute(
        () -> {
          ports.remove(port);
          port.close();
        });
  }

  /** Runs a task on the thread. */
  void execute(Runnable task) {
    tasks.add(task);
    synchronized (this) {
      if (thread == null && !stopped) {
        thread = new Thread(this::run, "sluice-multicast");
        thread.setDaemon(true);
        thread.start();
      }
    }
    wake();
  }

  /** Ends a pause of the thread. */
  void wake() {
    LockSupport.unpark(thread);
  }

  /** Ends the thread, and waits for that, because its files are deleted. */
  void close() {
    Thread running;
    synchronized (this) {
      stopped = true;
      running = thread;
    }
    if (running != null) {
      LockSupport.unpark(running);
      try {
        running.join(JOIN_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void run() {
    while (!stopped) {
      try (MediaDriver driver = MediaDriver.launch(driver());
          Aeron client = Aeron.connect(client(driver))) {
        aeron = client;
        List.copyOf(ports).forEach(this::open);
        while (!stopped) {
          idle(driver.sharedAgentInvoker().invoke() + turn());
        }
        ports.forEach(Port::close);
      } catch (RuntimeException | Error e) {
        log.atError().setCause(e).log("multicast.failed");
        fail(String.valueOf(e.getMessage()));
      } finally {
        aeron = null;
      }
    }
  }

  private void fail(String why) {
    aeron = null;
    ports.forEach(port -> port.onFailed(why));
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RESTART_MS);
    while (!stopped && System.nanoTime() < until) {
      runTasks();
      LockSupport.parkNanos(until - System.nanoTime());
    }
  }

  private void open(Port port) {
    try {
      port.open(aeron);
    } catch (RuntimeException e) {
      port.close();
      port.onFailed(String.valueOf(e.getMessage()));
    }
  }

  private int turn() {
    int work = aeron.conductorAgentInvoker().invoke() + runTasks();
    for (int i = 0; i < ports.size(); i++) {
      work += ports.get(i).work();
    }
    long nowNs = System.nanoTime();
    if (nowNs - tickedNs >= TimeUnit.MILLISECONDS.toNanos(TICK_MS)) {
      tickedNs = nowNs;
      ports.forEach(Port::onTick);
    }
    return work;
  }

  private int runTasks() {
    int count = 0;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      count++;
    }
    return count;
  }

  /** Pauses longer the longer there was nothing to do. */
  private void idle(int work) {
    idle = work > 0 ? 0 : idle + 1;
    if (idle > PARKS) {
      LockSupport.parkNanos(LONG_PARK_NS);
    } else if (idle > SHORT_PARKS) {
      LockSupport.parkNanos(PARK_NS);
    } else if (idle > BUSY_TURNS) {
      LockSupport.parkNanos(SHORT_PARK_NS);
    } else if (idle > 0) {
      Thread.yield();
    }
  }

  private static MediaDriver.Context driver() {
    String name = "sluice.multicast." + ProcessHandle.current().pid() + "-" + System.nanoTime();
    return new MediaDriver.Context()
        .aeronDirectoryName(Path.of(System.getProperty("java.io.tmpdir"), name).toString())
        .dirDeleteOnStart(true)
        .dirDeleteOnShutdown(true)
        .threadingMode(ThreadingMode.INVOKER)
        .asyncTaskExecutorThreads(0)
        .publicationTermBufferLength(TERM_BYTES)
        .clientLivenessTimeoutNs(NEVER_NS)
        .publicationUnblockTimeoutNs(2 * NEVER_NS)
        .errorHandler(e -> log.atDebug().setCause(e).log("multicast driver"));
  }

  private static Aeron.Context client(MediaDriver driver) {
    return new Aeron.Context()
        .aeronDirectoryName(driver.aeronDirectoryName())
        .useConductorAgentInvoker(true)
        .driverAgentInvoker(driver.sharedAgentInvoker())
        .errorHandler(e -> log.atDebug().setCause(e).log("multicast client"));
  }
}
