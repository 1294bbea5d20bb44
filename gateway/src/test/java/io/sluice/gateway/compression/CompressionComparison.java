package io.sluice.gateway.compression;

import io.sluice.gateway.compression.ComparedServer.Method;
import io.sluice.gateway.protocol.CompressionPayloads;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Comparison of compressed streams with real servers: bytes, CPU and memory for 1, 100 and 10,000
 * clients. Prints CSV. Arguments: the program {@code centrifugo}, if it is to be compared, and data
 * sets, all by default.
 */
public final class CompressionComparison {
  private static final int MANY = 10_000;
  private static final Step WARM_UP = new Step(10, 5_000, 2_000);
  private static final long SUBSCRIBE_NS = TimeUnit.SECONDS.toNanos(3);
  private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(2);
  private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(1);

  private final String broker;
  private final String centrifugo;

  private CompressionComparison(String broker, String centrifugo) {
    this.broker = broker;
    this.centrifugo = centrifugo;
  }

  /** Clients of one step, and their messages. */
  private record Step(int clients, int messages, int perSecond) {}

  private static final List<Step> STEPS =
      List.of(new Step(1, 2_000, 500), new Step(100, 500, 100), new Step(MANY, 12, 2));

  /** Runs all steps. */
  public static void main(String[] arguments) throws Exception {
    TestBroker artemis = TestBroker.start("artemis");
    String program = arguments.length > 0 ? arguments[0] : null;
    CompressionComparison comparison = new CompressionComparison(artemis.url(), program);
    System.out.println(
        "data,method,clients,bytes-per-message,cpu-us-per-message,memory-per-client");
    List<String> given =
        List.of(arguments).subList(Math.min(1, arguments.length), arguments.length);
    for (String data : given.isEmpty() ? CompressionPayloads.names() : given) {
      for (Method method : Method.values()) {
        if (method != Method.CENTRIFUGO || program != null) {
          comparison.compare(data, method);
        }
      }
    }
    artemis.close();
    System.exit(0);
  }

  private void compare(String data, Method method) throws Exception {
    try (ComparedServer server = new ComparedServer(method, broker, centrifugo)) {
      Iterator<String> payloads = CompressionPayloads.of(data).iterator();
      run(server, WARM_UP, payloads);
      for (Step step : STEPS) {
        double[] result = run(server, step, payloads);
        System.out.printf(
            Locale.ROOT,
            "%s,%s,%d,%.1f,%.1f,%.0f%n",
            data,
            method.title,
            step.clients(),
            result[0],
            result[1],
            result[2]);
      }
    }
  }

  /** Returns bytes and CPU in µs per message and client, and memory per client. */
  private static double[] run(ComparedServer server, Step step, Iterator<String> payloads)
      throws Exception {
    long memory = step.clients() == MANY ? server.memoryBytes() : 0;
    try (FrameCounter counter = new FrameCounter()) {
      for (int i = 0; i < step.clients(); i++) {
        counter.open(server);
      }
      counter.start();
      LockSupport.parkNanos(SUBSCRIBE_NS);
      long frames = counter.frames;
      server.publish(payloads.next()); // in full, because the clients have just joined
      await(server, counter, frames + step.clients());
      frames = counter.frames;
      long bytes = counter.bytes;
      double cpu = server.cpuSeconds();
      publish(server, step, payloads);
      await(server, counter, frames + (long) step.clients() * step.messages());
      double deliveries = (double) step.clients() * step.messages();
      double micros = (server.cpuSeconds() - cpu) * 1e6 / deliveries;
      double each = (counter.bytes - bytes) / deliveries;
      long grown = step.clients() == MANY ? server.memoryBytes() - memory : 0;
      return new double[] {each, micros, (double) grown / step.clients()};
    }
  }

  private static void publish(ComparedServer server, Step step, Iterator<String> payloads)
      throws Exception {
    long startNs = System.nanoTime();
    for (int i = 0; i < step.messages(); i++) {
      server.publish(payloads.next());
      long next = startNs + TimeUnit.SECONDS.toNanos(i + 1L) / step.perSecond();
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  private static void await(ComparedServer server, FrameCounter counter, long frames)
      throws IOException {
    long endNs = System.nanoTime() + LIMIT_NS;
    long bytes = -1;
    long changedNs = 0;
    while (counter.frames < frames) {
      if (counter.bytes != bytes) {
        bytes = counter.bytes;
        changedNs = System.nanoTime();
      } else if (server.joinsMessages() && System.nanoTime() - changedNs > QUIET_NS) {
        return; // of several messages in some frames
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      check(counter);
      if (System.nanoTime() > endNs) {
        throw new IOException(counter.frames + " of " + frames + " frames");
      }
    }
  }

  private static void check(FrameCounter counter) throws IOException {
    if (counter.failure != null) {
      throw new IOException(counter.failure);
    }
  }
}
