package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** State of the run in progress: its load, schedule and client streams. Thread-safe. */
final class ActiveRun {
  private final int number;
  private final LoadProfile load;
  private final String prefix;
  private final ArrivalSchedule arrivals;
  private final List<Duration> connectDelays;
  private final RunTime time = new RunTime();
  private final Progress progress = new Progress();
  private final TransientClientStatistics transientClients = new TransientClientStatistics();
  private final List<ClientStream> clients = new CopyOnWriteArrayList<>();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> gapsOfTopic = new HashMap<>();

  /**
   * Creates a run that has not started.
   *
   * @param connectDelays delay after which each measured client connects
   */
  ActiveRun(
      int number,
      LoadProfile load,
      String prefix,
      ArrivalSchedule arrivals,
      List<Duration> connectDelays) {
    this.connectDelays = List.copyOf(connectDelays);
    this.number = number;
    this.load = load;
    this.prefix = prefix;
    this.arrivals = arrivals;
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

  ArrivalSchedule arrivals() {
    return arrivals;
  }

  TransientClientStatistics transientClients() {
    return transientClients;
  }

  /** Returns the delay after which a measured client connects. */
  Duration connectDelay(int client) {
    return connectDelays.get(client);
  }

  /** Returns the streams of the measured clients, including those that have disconnected. */
  List<ClientStream> clients() {
    return List.copyOf(clients);
  }

  /** Returns the failures of measured clients, one line each. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /**
   * Creates and registers the stream of a measured client that starts to connect. Measured clients
   * connect before the run begins and are distributed evenly over the topics.
   */
  ClientStream newMeasuredStream(int client, long nowUnixNanos) {
    long topic = (long) client * load.topics() / load.measured();
    ClientStream stream = new ClientStream(client, prefix + topic, time, progress);
    stream.onConnecting(nowUnixNanos);
    clients.add(stream);
    return stream;
  }

  /**
   * Handles the disconnection of a measured client. Its stream remains registered. A disconnection
   * before the end of the run is a failure.
   *
   * @param failed whether a step of the client failed, such as connecting or subscribing
   */
  void onMeasuredDisconnected(ClientStream stream, boolean failed, long nowUnixNanos) {
    if (failed || !stream.hasEndedBy(nowUnixNanos)) {
      failures.add(failure(stream));
    }
    stream.onDisconnected();
  }

  /** Returns whether every measured client has received a message or has disconnected. */
  boolean areAllReceivingOrFailed() {
    return clients.size() == load.measured()
        && clients.stream().allMatch(client -> client.isReceiving() || client.hasDisconnected());
  }

  /** Returns whether all measured and all started transient clients have disconnected. */
  boolean areAllDisconnected() {
    return transientClients.ended() == arrivals.taken()
        && clients.size() == load.measured()
        && clients.stream().allMatch(ClientStream::hasDisconnected);
  }

  /**
   * Creates the stream of a transient client for its scheduled time. The stream is not registered:
   * {@link #transientClients} counts the client after it has disconnected.
   */
  ClientStream newTransientStream(TransientClient client) {
    long from = time.span().fromUnixNanos() + client.at().toNanos();
    Span span = new Span(from, from + client.stay().toNanos());
    String topic = prefix + client.number() % load.topics();
    ClientStream stream =
        new ClientStream(client.number(), topic, new RunTime(span), new Progress());
    stream.onConnecting(from);
    return stream;
  }

  /**
   * Handles a text frame of an unidentified measured client with the binary encoding. Gatling does
   * not identify the client. The gateway sends a gap to every client of its topic at once, so gaps
   * are assigned to these clients in round-robin order.
   */
  synchronized void onControl(String frame, long nowUnixNanos) {
    if (ControlFrame.isOfType(frame, "gap")) {
      String topic = ControlFrame.topic(frame);
      List<ClientStream> subscribers =
          clients.stream().filter(client -> client.topic().equals(topic)).toList();
      int index = gapsOfTopic.merge(topic, 1, Integer::sum) - 1;
      if (!subscribers.isEmpty()) {
        subscribers.get(index % subscribers.size()).onControl(frame, nowUnixNanos);
      }
    } else if (ControlFrame.isOfType(frame, "error")) {
      failures.add("error frame from the gateway: " + frame);
    }
  }

  private static String failure(ClientStream stream) {
    String state =
        stream.connectMicros() < 0
            ? "was not subscribed"
            : stream.isReceiving() ? "lost its connection" : "received nothing";
    return "client %d (%s) %s%s"
        .formatted(
            stream.number(),
            stream.topic(),
            state,
            stream.errorFrame().isEmpty() ? "" : ": " + stream.errorFrame());
  }
}
