package io.sluice.gatling;

import static io.gatling.javaapi.core.CoreDsl.*;
import static io.sluice.gatling.SluiceDsl.*;

import io.gatling.javaapi.core.*;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures the cost of virtual users: prints heap, threads and CPU time with all users connected.
 */
public final class ManyUsersSimulation extends Simulation {
  private final String url = System.getProperty("url", "ws://localhost:8080/ws");
  private final int users = Integer.getInteger("users", 10_000);
  private final int perSecond = Integer.getInteger("perSecond", 500);
  private final int seconds = Integer.getInteger("seconds", 20);
  private final AtomicInteger ready = new AtomicInteger();

  private final ScenarioBuilder clients =
      scenario("Many users")
          .exec(
              sluice("quotes").subscribe("stocks.#{randomInt(0,100)}").check(seq().noGaps()),
              rendezVous(users),
              exec(this::report),
              pause(Duration.ofSeconds(seconds)),
              exec(this::report));

  public ManyUsersSimulation() {
    setUp(
            clients.injectOpen(
                rampUsers(users).during(Duration.ofSeconds(Math.max(1, users / perSecond)))))
        .protocols(sluice.url(url).maxLoggedPerSecond(Integer.getInteger("logged", 10_000)))
        .assertions(global().failedRequests().count().is(0L));
  }

  private Session report(Session session) {
    int count = ready.incrementAndGet();
    if (count == 1 || count == users + 1) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      long cpu =
          ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
              .getProcessCpuTime();
      System.out.printf(
          "USERS %d heap %.1f MB, threads %d, CPU %.2f s, uptime %.2f s%n",
          users,
          (runtime.totalMemory() - runtime.freeMemory()) / 1e6,
          Thread.activeCount(),
          cpu / 1e9,
          ManagementFactory.getRuntimeMXBean().getUptime() / 1e3);
    }
    return session;
  }
}
