package io.sluice.loadtest;

import io.sluice.loadtest.crowd.CrowdProcess;
import io.sluice.loadtest.crowd.CrowdSecond;
import io.sluice.loadtest.crowd.Drop;
import io.sluice.loadtest.result.CrowdResult;
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
 * The clients that make the load and record nothing, in processes of their own. One thread at a
 * time may command them; {@link #open} is for any thread.
 */
final class Crowds implements AutoCloseable {
  private static final double MILLIS = 1000;

  private final List<CrowdProcess> processes = new ArrayList<>();
  private final List<List<CrowdSecond>> seconds = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Duration limit;
  private volatile int subscribed;

  private Crowds(Duration limit) {
    this.limit = limit;
  }

  /**
   * Starts them without any client yet.
   *
   * @param count of processes
   * @param topics among which the clients are dealt out
   * @param rate new connections a second, of all processes together
   * @param limit for whatever they are told to do
   */
  static Crowds start(GatewayTarget target, int count, int topics, double rate, Duration limit)
      throws IOException, InterruptedException {
    Crowds crowds = new Crowds(limit);
    try {
      for (int i = 0; i < count; i++) {
        List<CrowdSecond> heard = new CopyOnWriteArrayList<>();
        crowds.seconds.add(heard);
        List<String> arguments = arguments(target, topics, rate / count);
        crowds.processes.add(CrowdProcess.start(arguments, heard::add));
      }
      for (CrowdProcess process : crowds.processes) {
        process.awaitReady(limit);
      }
      return crowds;
    } catch (IOException | InterruptedException e) {
      crowds.close();
      throw e;
    }
  }

  /** Grows or shrinks to so many clients; answers how long that took, all are subscribed then. */
  Duration resize(int clients) throws IOException, InterruptedException {
    List<Callable<Duration>> tasks = new ArrayList<>();
    for (int i = 0; i < processes.size(); i++) {
      int share = (i + 1) * clients / processes.size() - i * clients / processes.size();
      CrowdProcess process = processes.get(i);
      tasks.add(() -> process.resize(share, limit));
    }
    Duration duration = longest(tasks);
    subscribed = clients;
    return duration;
  }

  /** Cuts all connections at once; answers how long it took until all were subscribed again. */
  Duration reconnect() throws IOException, InterruptedException {
    List<Callable<Duration>> tasks = new ArrayList<>();
    processes.forEach(process -> tasks.add(() -> process.reconnect(Drop.RST, limit)));
    return longest(tasks);
  }

  /** Clients that are subscribed now, as far as is known. */
  int open() {
    int sum = 0;
    for (CrowdProcess process : processes) {
      CrowdSecond latest = process.latest();
      sum += latest == null ? 0 : latest.subscribed();
    }
    return sum;
  }

  /** What they saw between two moments, as near as their seconds come to them. */
  CrowdResult between(long fromUnixMillis, long toUnixMillis) {
    // Not from their seconds: the latest may come before the last of them.
    CrowdResult sum = new CrowdResult(subscribed, 0, 0, 0, 0, 0, 0);
    for (List<CrowdSecond> heard : seconds) {
      CrowdSecond from = nearest(heard, fromUnixMillis);
      CrowdSecond to = nearest(heard, toUnixMillis);
      if (from != null && to != null) {
        sum = plus(sum, from, to);
      }
    }
    return sum;
  }

  private static CrowdSecond nearest(List<CrowdSecond> heard, long unixMillis) {
    CrowdSecond nearest = null;
    for (CrowdSecond second : heard) {
      if (nearest == null
          || Math.abs(second.time() - unixMillis) < Math.abs(nearest.time() - unixMillis)) {
        nearest = second;
      }
    }
    return nearest;
  }

  private static CrowdResult plus(CrowdResult sum, CrowdSecond from, CrowdSecond to) {
    return new CrowdResult(
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
    for (Future<Duration> answer : threads.invokeAll(tasks)) {
      try {
        Duration duration = answer.get();
        longest = duration.compareTo(longest) > 0 ? duration : longest;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof IOException told
            ? told
            : new IOException("a crowd could not be told: " + e.getCause(), e);
      }
    }
    return longest;
  }

  private static List<String> arguments(GatewayTarget target, int topics, double rate) {
    List<String> arguments =
        new ArrayList<>(List.of("--url", target.url(), "--clients", "0", "--topics", "" + topics));
    arguments.addAll(List.of("--topic-prefix", target.prefix()));
    arguments.addAll(List.of("--encoding", target.binary() ? "bin" : "json"));
    arguments.addAll(List.of("--connect-rate", String.format(Locale.ROOT, "%.3f", rate)));
    target
        .token()
        .ifPresent(token -> arguments.addAll(List.of("--token-file", token.file().toString())));
    return arguments;
  }

  /** Ends them all. */
  @Override
  public void close() {
    processes.forEach(CrowdProcess::close);
    threads.shutdownNow();
  }

  /** A duration for people. */
  static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.3f s", duration.toMillis() / MILLIS);
  }
}
