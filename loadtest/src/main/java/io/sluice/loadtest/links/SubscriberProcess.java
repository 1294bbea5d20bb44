package io.sluice.loadtest.links;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Process of all subscribers. Commands, one per line: {@code open TIMES URL …}, {@code measure},
 * {@code stop}, {@code end}. It prints {@code subscribed}, the least number of messages that a
 * subscriber has received in a run as {@code at RUN N}, {@code result JSON} and {@code failed
 * REASON}. The main thread executes commands; the thread {@code progress} prints numbers.
 */
final class SubscriberProcess {
  static final String AT = "at ";
  static final String RESULT = "result ";

  private static final long POLL_NANOS = 500_000;
  private static final double NANOS = 1e9;

  /** Subscribers of a run; runs are numbered from 1. */
  private record Opened(int run, List<LinkSubscriber> subscribers) {}

  private final String topic;
  private final int publishers;
  private volatile Opened opened = new Opened(0, List.of());
  private int tiers;
  private long begin;
  private long end;
  private long before;
  private long after;

  private SubscriberProcess(String topic, int publishers) {
    this.topic = topic;
    this.publishers = publishers;
  }

  /** Arguments: topic and number of publishers. */
  public static void main(String[] arguments) throws IOException {
    SubscriberProcess process = new SubscriberProcess(arguments[0], Integer.parseInt(arguments[1]));
    Thread progress = new Thread(process::printProgress, "progress");
    progress.setDaemon(true);
    progress.start();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        process.execute(line.split(" "));
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      print("failed " + e);
    }
    System.exit(0); // also while subscribers read
  }

  private static void print(String line) {
    System.out.println(line);
  }

  private void execute(String[] command) throws IOException, InterruptedException {
    switch (command[0]) {
      case "open" -> open(command);
      case "measure" -> {
        opened.subscribers().forEach(each -> each.measure(true));
        before = received();
        begin = System.nanoTime();
      }
      case "stop" -> {
        opened.subscribers().forEach(each -> each.measure(false));
        after = received();
        end = System.nanoTime();
      }
      case "end" -> end();
      default -> throw new IllegalArgumentException("unknown command " + command[0]);
    }
  }

  /** Opens a subscriber per URL; the first ones, one of each tier, keep times. */
  private void open(String[] command) throws IOException, InterruptedException {
    tiers = Integer.parseInt(command[1]);
    List<LinkSubscriber> subscribers = new ArrayList<>();
    for (String url : Arrays.asList(command).subList(2, command.length)) {
      boolean keepsTimes = subscribers.size() < tiers;
      subscribers.add(LinkSubscriber.open(URI.create(url), topic, publishers, keepsTimes));
    }
    opened = new Opened(opened.run() + 1, subscribers);
    print("subscribed");
  }

  private long received() {
    return opened.subscribers().stream().mapToLong(LinkSubscriber::received).sum();
  }

  private void printProgress() {
    long printed = 0;
    while (true) {
      LockSupport.parkNanos(POLL_NANOS);
      Opened now = opened;
      long least = now.subscribers().stream().mapToLong(LinkSubscriber::received).min().orElse(0);
      if (least != printed) {
        printed = least;
        print(AT + now.run() + " " + least);
      }
      now.subscribers().stream()
          .filter(each -> each.failure() != null)
          .findFirst()
          .ifPresent(each -> fail(each.failure()));
    }
  }

  private static void fail(String why) {
    print("failed a subscriber's connection: " + why);
    System.exit(1);
  }

  private void end() throws IOException, InterruptedException {
    List<LinkSubscriber> ended = opened.subscribers();
    opened = new Opened(opened.run(), List.of());
    for (LinkSubscriber each : ended) {
      each.close();
    }
    List<LinkFigures.Percentiles> added = new ArrayList<>();
    for (int i = 1; i < tiers; i++) {
      added.add(ended.get(i).after(ended.get(i - 1)));
    }
    LinkFigures figures =
        new LinkFigures(
            (end - begin) / NANOS,
            after - before,
            ended.stream().map(LinkSubscriber::figures).toList(),
            added);
    print(RESULT + new JsonMapper().writeValueAsString(figures));
  }
}
