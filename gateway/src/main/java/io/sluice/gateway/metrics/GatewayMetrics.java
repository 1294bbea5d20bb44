package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Everything that a node counts; docs/operations/metrics.md lists it. Any thread may call it, event
 * loops too: an event costs one {@link LongAdder}, and the registries read the sums only when
 * asked.
 */
public final class GatewayMetrics implements AutoCloseable {
  private static final String PUBLISHED = "published";

  private final MeterRegistry registry;
  private final LongAdder connections;
  private final LongAdder connectionsOpened;
  private final LongAdder streams;
  private final TaggedCounter connectionsClosed;
  private final TaggedCounter handshakesRefused;
  private final TaggedCounter limitsReached;
  private final LongAdder overloaded;
  private final TaggedCounter authentications;
  private final TaggedCounter authenticationFailures;
  private final LongAdder subscriptions;
  private final LongAdder interests;
  private final LongAdder warmRefused;
  private final LongAdder messagesIn;
  private final LongAdder messageBytesIn;
  private final LongAdder framesOut;
  private final LongAdder frameBytesOut;
  private final LongAdder framesIn;
  private final TaggedCounter drops;
  private final TaggedCounter gapsSent;
  private final TaggedCounter clientErrors;
  private final TaggedCounter publishes;
  private final LongAdder publishesWaiting;
  private final LongAdder publishesInFlight;
  private final LongAdder reconnectAttempts;
  private final LongAdder silentLosses;
  private final TaggedCounter resumes;
  private final LongAdder replayed;
  private final LongAdder logBytes;
  private final LongAdder frameBytes;
  private final LongAdder leftOut;
  private final LongAdder durableLate;
  private final LongAdder journalFailures;
  private final LongAdder auditDropped;
  private final LongAdder pauses;
  private final LongAdder pausedMs = new LongAdder();
  private final TaggedCounter drained;
  private final TaggedCounter redirected;
  private final LatencyHistogram fanoutLatency =
      new LatencyHistogram(
          "sluice.fanout.latency",
          "From the broker's timestamp of a message to its frame in the socket, each frame counted.",
          System::nanoTime);
  private final LatencyHistogram loopLag =
      new LatencyHistogram(
          "sluice.event.loop.lag", "Delay of the timers of event loops.", System::nanoTime);
  private final LatencyHistogram journalSync =
      new LatencyHistogram(
          "sluice.journal.sync",
          "Time in which the disk stored the messages of a durable interest.",
          System::nanoTime);
  private final ClusterMeters cluster;
  private final TlsMeters tls;
  private final ProcessMeters processMeters;
  private final ScheduledExecutorService collector;
  private volatile LongSupplier issuerFailures = () -> 0;
  private volatile boolean brokerConnected;
  private volatile long brokerProvenMs;
  private volatile double ingressLagSeconds;
  private volatile long journalBytes;

  /** Registers all meters with {@code exposition}, which the caller closes after this. */
  public GatewayMetrics(Exposition exposition, KnownTags known) {
    registry = exposition.registry();
    connections = gauge("sluice.connections", "Clients connected now.");
    connectionsOpened =
        counter("sluice.connections.opened", "Connections whose handshake succeeded.");
    streams =
        gauge("sluice.streams", "Clients connected now by plain HTTP instead of a WebSocket.");
    connectionsClosed =
        tagged(
            "sluice.connections.closed",
            "code",
            "Connections that ended, by WebSocket close code.",
            known.closeCodes().stream().map(String::valueOf).toList());
    handshakesRefused =
        tagged(
            "sluice.handshakes.refused",
            "cause",
            "Handshakes that were answered with an HTTP error.",
            known.refusals());
    overloaded =
        gauge(
            "sluice.event.loops.overloaded",
            "Event loops that lag so much that they take no new clients.");
    limitsReached =
        tagged(
            "sluice.limits.reached",
            "limit",
            "Times that a client was denied something because of a limit, by the limit's key.",
            known.limits());
    authentications =
        tagged(
            "sluice.authentications",
            "mechanism",
            "Clients let in, by how they showed who they are.",
            known.mechanisms());
    authenticationFailures =
        tagged(
            "sluice.authentication.failures",
            "reason",
            "Credentials of clients that were not accepted.",
            known.authenticationFailures());
    FunctionCounter.builder("sluice.auth.issuer.failures", this, m -> m.issuerFailures.getAsLong())
        .description("Requests to the issuer of tokens that brought no usable answer.")
        .register(registry);
    subscriptions = gauge("sluice.subscriptions", "Subscriptions of all clients now.");
    interests = gauge("sluice.interests", "Consumers of the node at the broker now.");
    warmRefused =
        gauge(
            "sluice.history.warm.refused",
            "Patterns of history.warm that the broker refuses; they are opened again.");
    messagesIn = counter("sluice.messages.in", "Messages received from the broker.");
    messageBytesIn = bytes("sluice.messages.in", "Payload bytes received from the broker.");
    framesOut = counter("sluice.frames.out", "WebSocket frames sent to clients.");
    frameBytesOut =
        bytes("sluice.frames.out", "Bytes of WebSocket frames sent to clients, headers included.");
    framesIn = counter("sluice.frames.in", "WebSocket frames received from clients.");
    drops = tagged("sluice.drops", "cause", "Messages that were not forwarded.", known.drops());
    gapsSent =
        tagged(
            "sluice.gaps.sent",
            "reason",
            "Gaps sent to clients, each subscription counted, by reason.",
            known.gaps());
    clientErrors =
        tagged(
            "sluice.client.errors",
            "code",
            "Error frames sent to clients, by error code.",
            known.errors());
    publishes =
        tagged(
            "sluice.publishes",
            "outcome",
            "Publishes of clients: published, or the error code of the refusal.",
            outcomes(known.errors()));
    publishesWaiting =
        gauge(
            "sluice.publishes.waiting", "Publishes of clients that wait to be sent to the broker.");
    publishesInFlight =
        gauge(
            "sluice.publishes.in.flight",
            "Publishes that were sent to the broker and are not confirmed yet.");
    reconnectAttempts =
        counter("sluice.broker.reconnect.attempts", "Attempts to connect to the broker again.");
    resumes =
        tagged(
            "sluice.resumes",
            "recovered",
            "Subscriptions of clients that named a position, by whether all that they had missed"
                + " could be replayed.",
            List.of("true", "false"));
    replayed = counter("sluice.replayed", "Messages sent out of logs, for snapshots and resumes.");
    frameBytes =
        gauge("sluice.history.frames.bytes", "Direct memory of the encoded frames of messages.");
    logBytes = gauge("sluice.history.bytes", "Memory that the logs of all topics use, roughly.");
    leftOut =
        counter(
            "sluice.history.keys.left.out",
            "Messages in no snapshot, because a log had as many topics or keys as history.keys, or"
                + " because of history.memory.");
    durableLate =
        gauge(
            "sluice.durable.late",
            "Durable interests whose messages come later than the broker took them.");
    journalFailures =
        counter(
            "sluice.journal.failures",
            "Times that messages could not be made safe on the disk; it is tried again.");
    auditDropped = counter("sluice.audit.dropped", "Events that are missing in the audit log.");
    pauses =
        counter(
            "sluice.process.pauses",
            "Times that the whole process stood still for a second or longer.");
    FunctionCounter.builder("sluice.process.paused", pausedMs, ms -> ms.sum() / 1000.0)
        .description("Time for which the whole process stood still in these pauses.")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("sluice.ingress.lag", this, m -> m.ingressLagSeconds)
        .strongReference(true)
        .baseUnit("seconds")
        .description(
            "Lag behind the broker of the topic that lags most; 0 while none exceeds resume.margin.")
        .register(registry);
    drained =
        tagged(
            "sluice.drain.clients",
            "outcome",
            "Clients of a draining node: told to leave, moved by themselves after that, closed at"
                + " the deadline.",
            List.of("told", "moved", "closed"));
    redirected =
        tagged(
            "sluice.redirects",
            "cause",
            "Clients that were sent to another node: when they came, or later so that nodes have"
                + " equally many, or because this node alone had lost its broker.",
            List.of("connect", "shed", "broker-lost"));
    Gauge.builder("sluice.journal.bytes", this, m -> m.journalBytes)
        .strongReference(true)
        .baseUnit("bytes")
        .description("Bytes of the files in journal.folder.")
        .register(registry);
    silentLosses =
        counter(
            "sluice.broker.silent.losses",
            "Times that the broker was taken for lost because it no longer delivered.");
    Gauge.builder("sluice.broker.proof.age", this, GatewayMetrics::proofAgeSeconds)
        .strongReference(true)
        .baseUnit("seconds")
        .description(
            "How long ago the latest message that is known to have come through the broker was"
                + " sent; NaN before the first.")
        .register(registry);
    Gauge.builder("sluice.broker.connected", this, m -> m.brokerConnected ? 1 : 0)
        .strongReference(true)
        .description("1 while the node is connected to the broker, otherwise 0.")
        .register(registry);
    exposition.show(fanoutLatency);
    exposition.show(loopLag);
    exposition.show(journalSync);
    cluster = new ClusterMeters(registry);
    tls = new TlsMeters(registry);
    processMeters = new ProcessMeters(registry);
    collector = startCollector();
  }

  public void connectionOpened() {
    connections.increment();
    connectionsOpened.increment();
  }

  /** A connection ended; 1006 is for one without a close frame. */
  public void connectionClosed(int code) {
    connections.decrement();
    connectionsClosed.add(Integer.toString(code), 1);
  }

  /** So many more of the connections are streams, or less if negative. */
  public void streams(int more) {
    streams.add(more);
  }

  /** A client has shown who it is, by this mechanism. */
  public void authenticated(String mechanism) {
    authentications.add(mechanism, 1);
  }

  /** A client's credential was not accepted. */
  public void authenticationFailed(String reason) {
    authenticationFailures.add(reason, 1);
  }

  /** A draining node has told a client to leave, or this became of it. */
  public void drained(String outcome) {
    drained.add(outcome, 1);
  }

  /** A client was sent to another node, because of this. */
  public void redirected(String cause) {
    redirected.add(cause, 1);
  }

  /** Where to read how often the issuer of tokens was asked in vain. */
  public void issuerFailures(LongSupplier count) {
    issuerFailures = count;
  }

  public void handshakeRefused(String cause) {
    handshakesRefused.add(cause, 1);
  }

  /** Somebody was denied something because of the limit with this key. */
  public void limitReached(String key) {
    limitsReached.add(key, 1);
  }

  /** So many more event loops take no new clients, or less if negative. */
  public void overloaded(int more) {
    overloaded.add(more);
  }

  public void subscriptionAdded() {
    subscriptions.increment();
  }

  public void subscriptionRemoved() {
    subscriptions.decrement();
  }

  /** A client named its position. */
  public void resumed(boolean recovered) {
    resumes.add(Boolean.toString(recovered), 1);
  }

  /** A subscription begins with so many messages of a log. */
  public void replayed(long messages) {
    replayed.add(messages);
  }

  /** Encoded frames of messages take so many bytes more. */
  public void frameBytes(long more) {
    frameBytes.add(more);
  }

  /** A log has grown, or shrunk if negative. */
  public void logBytes(long more) {
    logBytes.add(more);
  }

  /** A message came of a topic or key that is one too many for snapshots. */
  public void leftOutOfSnapshots() {
    leftOut.increment();
  }

  /** So many more durable interests come late, or less if negative. */
  public void durableLate(int more) {
    durableLate.add(more);
  }

  public void journalFailed() {
    journalFailures.increment();
  }

  /** The process stood still for so long. */
  public void paused(long ms) {
    pauses.increment();
    pausedMs.add(ms);
  }

  /** Sets the lag of the topic that lags most behind the broker; 0 if none exceeds the margin. */
  public void ingressLag(double seconds) {
    ingressLagSeconds = seconds;
  }

  /** The bytes that the journal has on the disk. */
  public void journalBytes(long bytes) {
    journalBytes = bytes;
  }

  /** A recorder of how long syncs take, for one durable interest, to be kept as long as it. */
  public LatencyRecorder journalSyncRecorder() {
    return journalSync.newRecorder("");
  }

  /** The broker refuses so many more patterns of {@code history.warm}, or fewer if negative. */
  public void warmRefused(int more) {
    warmRefused.add(more);
  }

  public void interestOpened() {
    interests.increment();
  }

  public void interestClosed() {
    interests.decrement();
  }

  /** The broker delivered a message with a payload of so many bytes. */
  public void messageIn(long bytes) {
    messagesIn.increment();
    messageBytesIn.add(bytes);
  }

  /** Frames were handed to the kernel; once per batch. */
  public void framesOut(long frames, long bytes) {
    framesOut.add(frames);
    frameBytesOut.add(bytes);
  }

  /** Frames handed to the kernel since the start. */
  public long framesOut() {
    return framesOut.sum();
  }

  /** How late event loops ran half of their timers in the last minute at most, in milliseconds. */
  public double usualLoopLagMs() {
    double seconds = loopLag.quantileSeconds(0.5);
    return Double.isNaN(seconds) ? 0 : seconds * 1000;
  }

  /** How the files of TLS on the clients' port stand. */
  public TlsMeters tls() {
    return tls;
  }

  /** What the node shows of its cluster. */
  public ClusterMeters cluster() {
    return cluster;
  }

  public void frameIn() {
    framesIn.increment();
  }

  public void dropped(String cause, long count) {
    drops.add(cause, count);
  }

  /** A gap is sent to so many subscriptions; once per event loop. */
  public void gapsSent(String reason, long subscriptions) {
    gapsSent.add(reason, subscriptions);
  }

  public void clientError(String code) {
    clientErrors.add(code, 1);
  }

  public void published() {
    publishes.add(PUBLISHED, 1);
  }

  public void publishesWaiting(int change) {
    publishesWaiting.add(change);
  }

  public void publishesInFlight(int change) {
    publishesInFlight.add(change);
  }

  public void publishRefused(String code) {
    publishes.add(code, 1);
  }

  public void brokerConnected(boolean connected) {
    brokerConnected = connected;
  }

  public void brokerReconnectAttempt() {
    reconnectAttempts.increment();
  }

  /** The broker is proven to have delivered what it took before a time of this node's clock. */
  public void brokerProven(long sentMs) {
    brokerProvenMs = sentMs;
  }

  public void brokerFellSilent() {
    silentLosses.increment();
  }

  private double proofAgeSeconds() {
    long provenMs = brokerProvenMs;
    return provenMs == 0 ? Double.NaN : Math.max(0, System.currentTimeMillis() - provenMs) / 1000.0;
  }

  /** So many events could not be kept in the audit log. */
  public void auditDropped(long count) {
    auditDropped.add(count);
  }

  /** A recorder of fan-out latency for one event loop, to be kept as long as the loop. */
  public LatencyRecorder latencyRecorder() {
    return fanoutLatency.newRecorder("");
  }

  /** A recorder of the lag of one event loop, to be kept as long as the loop. */
  public LatencyRecorder lagRecorder(int loop) {
    return loopLag.newRecorder(Integer.toString(loop));
  }

  /** Stops the background work; what was counted can still be read. */
  @Override
  public void close() {
    collector.shutdownNow();
    processMeters.close();
  }

  private ScheduledExecutorService startCollector() {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sluice-metrics");
              thread.setDaemon(true);
              return thread;
            });
    executor.scheduleAtFixedRate(this::collectLatencies, 1, 1, TimeUnit.SECONDS);
    return executor;
  }

  private void collectLatencies() {
    fanoutLatency.update();
    loopLag.update();
    journalSync.update();
  }

  private LongAdder gauge(String name, String meaning) {
    LongAdder value = new LongAdder();
    Gauge.builder(name, value, LongAdder::sum)
        .strongReference(true)
        .description(meaning)
        .register(registry);
    return value;
  }

  private LongAdder counter(String name, String meaning) {
    return counter(name, meaning, null);
  }

  private LongAdder bytes(String name, String meaning) {
    return counter(name + ".bytes", meaning, "bytes");
  }

  private LongAdder counter(String name, String meaning, String unit) {
    LongAdder value = new LongAdder();
    FunctionCounter.builder(name, value, LongAdder::sum)
        .description(meaning)
        .baseUnit(unit)
        .register(registry);
    return value;
  }

  private TaggedCounter tagged(
      String name, String tag, String meaning, Collection<String> knownValues) {
    return new TaggedCounter(registry, name, tag, meaning, knownValues);
  }

  private static Collection<String> outcomes(Collection<String> errors) {
    Collection<String> outcomes = new LinkedHashSet<>(errors);
    outcomes.add(PUBLISHED);
    return outcomes;
  }
}
