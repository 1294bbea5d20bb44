package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** State of the run in progress, and its clients. Thread-safe. */
final class ActiveRun {
  private final int number;
  private final LoadProfile load;
  private final String prefix;
  private final Visits visits;
  private final RunTime time = new RunTime();
  private final Progress progress = new Progress();
  private final Visitors visitors = new Visitors();
  private final List<ClientStream> clients = new CopyOnWriteArrayList<>();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> gapsOfTopic = new HashMap<>();

  ActiveRun(int number, LoadProfile load, String prefix, Visits visits) {
    this.number = number;
    this.load = load;
    this.prefix = prefix;
    this.visits = visits;
  }

  int number() {
    return number;
  }

  LoadProfile load() {
    return load;
  }

  RunTime time() {
    return time;
  }

  Progress progress() {
    return progress;
  }

  Visits visits() {
    return visits;
  }

  Visitors visitors() {
    return visitors;
  }

  /** The measured clients that have come, which is also how many there will be in the end. */
  List<ClientStream> clients() {
    return List.copyOf(clients);
  }

  /** What went wrong for measured clients, one line each. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /** A measured client comes; they are spread evenly over the topics. */
  ClientStream join(int client, long nowUnixNanos) {
    long topic = (long) client * load.topics() / load.measured();
    ClientStream stream = new ClientStream(client, prefix + topic, time, progress);
    stream.onConnecting(nowUnixNanos);
    clients.add(stream);
    return stream;
  }

  /** A measured client has gone; too early if its connection broke. */
  void leave(ClientStream stream, boolean failed, long nowUnixNanos) {
    if (failed || !stream.endedBy(nowUnixNanos)) {
      failures.add(failure(stream));
    }
    stream.onLeft();
  }

  /** Every measured client receives, or has failed. */
  boolean isComplete() {
    return clients.size() == load.measured()
        && clients.stream().allMatch(client -> client.isReceiving() || client.hasLeft());
  }

  /** Everyone has gone. */
  boolean isEmpty() {
    return visitors.came() == visits.taken()
        && clients.size() == load.measured()
        && clients.stream().allMatch(ClientStream::hasLeft);
  }

  /** Someone comes only for a while. */
  ClientStream come(Visit visit) {
    long from = time.span().fromUnixNanos() + visit.at().toNanos();
    Span span = new Span(from, from + visit.stay().toNanos());
    String topic = prefix + visit.number() % load.topics();
    ClientStream stream =
        new ClientStream(visit.number(), topic, new RunTime(span), new Progress());
    stream.onConnecting(from);
    return stream;
  }

  /**
   * Takes a text frame that came to some measured client of the binary encoding: Gatling doesn't
   * say to which. A gap is told to every client of its topic at once, so they are dealt out in
   * turn.
   */
  synchronized void onControl(String frame, long nowUnixNanos) {
    if (ControlFrame.isOfType(frame, "gap")) {
      String topic = ControlFrame.topic(frame);
      List<ClientStream> hearers =
          clients.stream().filter(client -> client.topic().equals(topic)).toList();
      int turn = gapsOfTopic.merge(topic, 1, Integer::sum) - 1;
      if (!hearers.isEmpty()) {
        hearers.get(turn % hearers.size()).onControl(frame, nowUnixNanos);
      }
    } else if (ControlFrame.isOfType(frame, "error")) {
      failures.add("the gateway says " + frame);
    }
  }

  private static String failure(ClientStream stream) {
    String state =
        stream.connectMicros() < 0
            ? "got no subscription"
            : stream.isReceiving() ? "lost its connection" : "received nothing";
    return "client %d (%s) %s%s"
        .formatted(
            stream.number(),
            stream.topic(),
            state,
            stream.refusal().isEmpty() ? "" : ": " + stream.refusal());
  }
}
