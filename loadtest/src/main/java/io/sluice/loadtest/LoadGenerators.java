package io.sluice.loadtest;

import io.sluice.loadtest.load.DisconnectMode;
import io.sluice.loadtest.load.GeneratorSecond;
import io.sluice.loadtest.load.LoadGeneratorProcess;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Load generators in child processes, whose clients record nothing. One thread at a time may send
 * commands; any thread may call {@link #open}.
 */
final class LoadGenerators implements AutoCloseable {
  private static final double MILLIS = 1000;

  private final List<LoadGeneratorProcess> processes = new ArrayList<>();
  private final List<List<GeneratorSecond>> seconds = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Duration limit;
  private volatile int subscribed;

  private LoadGenerators(Duration limit) {
    this.limit = limit;
  }

  /**
   * Starts the processes without clients.
   *
   * @param count number of processes
   * @param topics number of topics over which clients are distributed
   * @param rate new connections per second, over all processes
   * @param limit time limit for each command
   */
  static LoadGenerators start(
      GatewayTarget target, int count, int topics, double rate, Duration limit)
      throws IOException, InterruptedException {
    LoadGenerators generators = new LoadGenerators(limit);
    try {
      for (int i = 0; i < count; i++) {
        List<GeneratorSecond> received = new CopyOnWriteArrayList<>();
        generators.seconds.add(received);
        List<String> arguments = arguments(target, topics, rate / count);
        generators.processes.add(LoadGeneratorProcess.start(arguments, received::add));
      }
      for (LoadGeneratorProcess process : generators.processes) {
        process.awaitReady(limit);
      }
      return generators;
    } catch (IOException | InterruptedException e) {
      generators.close();
      throw e;
    }
  }

  /** Changes the number of clients and returns the time until all are subscribed. */
  Duration resize(int clients) throws IOException, InterruptedException {
    List<Callable<Duration>> tasks = new ArrayList<>();
    for (int i = 0; i < processes.size(); i++) {
      int share = (i + 1) * clients / processes.size() - i * clients / processes.size();
      LoadGeneratorProcess process = processes.get(i);
      tasks.add(() -> process.resize(share, limit));
    }
    Duration duration = longest(tasks);
    subscribed = clients;
    return duration;
  }

  /** Resets all connections at once and returns the time until all are subscribed again. */
  Duration reconnect() throws IOException, InterruptedException {
    if (subscribed == 0) {
      return Duration.ZERO;
    }
    List<Callable<Duration>> tasks = new ArrayList<>();
    processes.forEach(process -> tasks.add(() -> process.reconnect(DisconnectMode.RST, limit)));
    return longest(tasks);
  }

  /** Returns the number of clients after the latest change, all of which were subscribed. */
  int subscribed() {
    return subscribed;
  }

  /** Returns the last known number of subscribed clients. */
  int open() {
    int sum = 0;
    for (LoadGeneratorProcess process : processes) {
      GeneratorSecond latest = process.latest();
      sum += latest == null ? 0 : latest.subscribed();
    }
    return sum;
  }

  /** Returns the counters between two moments, to the nearest second. */
  LoadGeneratorResult between(long fromUnixMillis, long toUnixMillis) {
    // Clients are not taken from the statistics, whose latest second may precede the last
    // subscription.
    LoadGeneratorResult sum = new LoadGeneratorResult(subscribed, 0, 0, 0, 0, 0, 0);
    for (List<GeneratorSecond> received : seconds) {
      GeneratorSecond from = nearest(received, fromUnixMillis);
      GeneratorSecond to = nearest(received, toUnixMillis);
      if (from != null && to != null) {
        sum = plus(sum, from, to);
      }
    }
    return sum;
  }

  private static GeneratorSecond nearest(List<GeneratorSecond> received, long unixMillis) {
    GeneratorSecond nearest = null;
    for (GeneratorSecond second : received) {
      if (nearest == null
          || Math.abs(second.time() - unixMillis) < Math.abs(nearest.time() - unixMillis)) {
        nearest = second;
      }
    }
    return nearest;
  }

  private static LoadGeneratorResult plus(
      LoadGeneratorResult sum, GeneratorSecond from, GeneratorSecond to) {
    return new LoadGeneratorResult(
        sum.clients(),
        sum.frames() + to.frames() - from.frames(),
        sum.bytes() + to.bytes() - from.bytes(),
        sum.failed() + to.failed() - from.failed(),
        sum.closed() + to.closed() - from.closed(),
        sum.gaps() + to.gaps() - from.gaps(),
        sum.cpuSeconds() + to.cpuSeconds() - from.cpuSeconds());
  }

  private Duration longest(List<Callable<Duration>> tasks)
      throws IOException, InterruptedException {
    Duration longest = Duration.ZERO;
    for (Future<Duration> result : threads.invokeAll(tasks)) {
      try {
        Duration duration = result.get();
        longest = duration.compareTo(longest) > 0 ? duration : longest;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof IOException failure
            ? failure
            : new IOException("a load generator did not execute a command: " + e.getCause(), e);
      }
    }
    return longest;
  }

  private static List<String> arguments(GatewayTarget target, int topics, double rate) {
    List<String> arguments =
        new ArrayList<>(List.of("--url", target.url(), "--clients", "0", "--topics", "" + topics));
    arguments.addAll(List.of("--topic-prefix", target.prefix()));
    arguments.addAll(List.of("--protocol", target.subprotocol()));
    arguments.addAll(List.of("--connect-rate", String.format(Locale.ROOT, "%.3f", rate)));
    target
        .token()
        .ifPresent(token -> arguments.addAll(List.of("--token-file", token.file().toString())));
    if (target.inflate()) {
      arguments.add("--inflate");
    }
    return arguments;
  }

  /** Kills all processes. */
  @Override
  public void close() {
    processes.forEach(LoadGeneratorProcess::close);
    threads.shutdownNow();
  }

  /** Returns a duration formatted in seconds. */
  static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.3f s", duration.toMillis() / MILLIS);
  }
}
