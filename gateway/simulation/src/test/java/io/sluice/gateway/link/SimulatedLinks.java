package io.sluice.gateway.link;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.sim.SeededRandom;
import io.sluice.gateway.sim.SimulatedThread;
import io.sluice.gateway.sim.Timeline;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntFunction;

/**
 * Links of a leaf to its roots, one at a time. Both sides of a link are real, except for the
 * network: it lags, and may be cut between any two frames. Times are microseconds.
 */
public final class SimulatedLinks implements RootLinks {
  private static final long RETRY = 5_000_000;

  /** A node that serves leaves. */
  public interface Root {
    String name();

    boolean isUp();

    Hub hub();

    /** Returns the event loop of its links. */
    SimulatedThread linkLoop();

    LinkOptions linkOptions();
  }

  /** Changes to the records of a leaf that violate a rule. */
  public interface Faults {
    /** Returns the records that the root receives instead of one that the leaf has sent. */
    List<LinkRecord> toRoot(LinkRecord sent);

    /** Returns the records that the leaf receives instead of one that the root has sent. */
    List<LinkRecord> toLeaf(LinkRecord sent);
  }

  /**
   * Properties of a network.
   *
   * @param latency maximum latency of a frame
   * @param bytesASecond rate; 0 without a limit
   * @param frameBytes bytes above which a frame gets no further record
   * @param queueBytes bytes that wait for the network above which a sender pauses
   */
  public record Network(long latency, long bytesASecond, int frameBytes, int queueBytes) {}

  private final Timeline timeline;
  private final SeededRandom random;
  private final Network network;
  private final List<? extends Root> roots;
  private final SimulatedThread loop;
  private final Faults faults;
  private final Map<Integer, InterestKey> keys = new HashMap<>();

  /** Place from which the leaf has the log of each interest. */
  private final Map<InterestKey, StreamPlace> bases = new HashMap<>();

  private Receiver receiver;
  private Link link;
  private long stalledUntil;
  private int next;
  private boolean wide;
  private boolean stopped;

  public SimulatedLinks(
      Timeline timeline,
      SeededRandom random,
      Network network,
      List<? extends Root> roots,
      SimulatedThread loop,
      Faults faults) {
    this.timeline = timeline;
    this.random = random;
    this.network = network;
    this.roots = roots;
    this.loop = loop;
    this.faults = faults;
  }

  /** Returns options of links for all topics. */
  public static LinkOptions options(Config config) {
    return LinkOptions.of(
        config
            .with(ClusterSettings.KEEP_WARM, false)
            .with(LinkSettings.SUBSCRIBE, List.of(">"))
            .with(LinkSettings.ROOTS, List.of("ws://root")));
  }

  /** Creates the source of the leaf. */
  public LinkSource newSource(
      Config config,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    NodeRoots roots = new NodeRoots("node", List.of("ws://root"), List.of(">"));
    return new LinkSource(options(config), roots, this, control, listener, metrics);
  }

  @Override
  public void follow(List<String> urls, Receiver source) {
    receiver = source;
    timeline.after(random.between(0, 1_000_000), this::connect);
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public CompletionStage<Integer> preSubscribe(List<String> names) {
    throw new UnsupportedOperationException();
  }

  @Override
  public LinkQueues.Leaf newLeaf() {
    return null;
  }

  @Override
  public LinkGroup.Leaf join(
      LinkChannel channel, String root, IntFunction<LinkGroup.LeafLog> logs) {
    return null;
  }

  private void connect() {
    if (stopped) {
      return;
    }
    Root root = roots.get(next++ % roots.size());
    if (root.isUp()) {
      link = new Link(root);
      link.open();
    } else {
      loop.execute(() -> receiver.onUnreachable(root.name() + " is down"));
      again();
    }
  }

  private void again() {
    timeline.after(random.mostlySmall(RETRY), this::connect);
  }

  /** Returns whether a link is open. */
  public boolean isUp() {
    return link != null && !link.isCut();
  }

  /** Ends the links with the leaf's process. */
  public void stop() {
    stopped = true;
    cut(0, random.mostlySmall(2_000_000));
  }

  /** Cuts the link if it is one to a root that has ended. */
  public void onEnded(Root root) {
    if (link != null && link.root == root) {
      cut(random.mostlySmall(2_000_000), 0);
    }
  }

  /**
   * Cuts the link.
   *
   * @param leafNotice maximum time after which the leaf is notified
   * @param rootNotice maximum time after which the root is notified
   */
  public void cut(long leafNotice, long rootNotice) {
    if (isUp()) {
      link.cut(leafNotice, rootNotice);
    }
  }

  /** Delays all frames until a time. */
  public void stallUntil(long micros) {
    stalledUntil = micros;
  }

  /** Removes the limits of the network. */
  public void widen() {
    wide = true;
    stalledUntil = 0;
  }

  /** Returns the place from which the leaf has the log of an interest, or null. */
  public StreamPlace base(InterestKey key) {
    return bases.get(key);
  }

  private void record(LinkRecord received) {
    if (received instanceof LinkRecord.Begin begun && begun.place() != null) {
      bases.put(keys.get(begun.ref()), begun.place());
    } else if (received instanceof LinkRecord.Gap gap) {
      StreamPlace base = bases.get(keys.get(gap.ref()));
      if (gap.identity() > 0 && base != null) {
        bases.put(keys.get(gap.ref()), new StreamPlace(base.stream(), new long[] {gap.identity()}));
      }
    }
  }

  /** One link. */
  private final class Link {
    private final Root root;
    private final End leafEnd = new End(loop);
    private final End rootEnd;

    /** Time after which nothing arrives. */
    private long cutMicros = Long.MAX_VALUE;

    Link(Root root) {
      this.root = root;
      rootEnd = new End(root.linkLoop());
      rootEnd.other = leafEnd;
      leafEnd.other = rootEnd;
      rootEnd.link = this;
      leafEnd.link = this;
    }

    boolean isCut() {
      return cutMicros != Long.MAX_VALUE || leafEnd.closed || rootEnd.closed;
    }

    void open() {
      Hub hub = root.hub();
      rootEnd.loop.execute(
          () -> {
            LinkRoot serving = new LinkRoot(root.linkOptions(), hub, rootEnd, null, null);
            rootEnd.listener = serving;
            hub.onSources(serving::onSources);
            serving.onSources();
          });
      LinkRecord.Hello hello =
          new LinkRecord.Hello(
              LinkCodec.VERSION,
              true,
              root.name(),
              List.of(root.name()),
              1,
              LinkCodec.CAPABILITIES);
      leafEnd.loop.execute(() -> leafEnd.listener = receiver.onRoot(leafEnd, hello));
    }

    void cut(long leafNotice, long rootNotice) {
      long leaf = timeline.nowMicros() + random.between(0, leafNotice);
      long serving = timeline.nowMicros() + random.between(0, rootNotice);
      cutMicros = random.between(timeline.nowMicros(), Math.min(leaf, serving));
      timeline.at(leaf, () -> leafEnd.loop.execute(leafEnd::onLost));
      timeline.at(serving, () -> rootEnd.loop.execute(rootEnd::onLost));
    }
  }

  /** One side of a link. */
  private final class End implements LinkChannel {
    private final SimulatedThread loop;
    private Link link;
    private End other;
    private Listener listener;
    private Buffer frame;
    private boolean flushing;
    private boolean full;
    private boolean closed;
    private long waiting;
    private long lastArrival;

    End(SimulatedThread loop) {
      this.loop = loop;
    }

    @Override
    public String peer() {
      return "";
    }

    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    @Override
    public void later(Runnable task, long delayMs) {
      loop.executeLater(task, delayMs);
    }

    @Override
    public boolean isFull() {
      return full;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public void send(LinkRecord sent) {
      if (closed) {
        return;
      }
      boolean toRoot = this == link.leafEnd;
      if (toRoot && sent instanceof LinkRecord.Open open) {
        keys.put(open.ref(), open.key());
      }
      frame = frame == null ? Buffer.buffer() : frame;
      for (LinkRecord each : toRoot ? faults.toRoot(sent) : faults.toLeaf(sent)) {
        LinkCodec.write(each, frame);
      }
      if (frame.length() >= network.frameBytes()) {
        flush();
      } else if (!flushing) {
        flushing = true;
        execute(
            () -> {
              flushing = false;
              flush();
            });
      }
    }

    private void flush() {
      if (frame == null || closed) {
        return;
      }
      Buffer sent = frame;
      frame = null;
      waiting += sent.length();
      full |= waiting > network.queueBytes();
      long rate = wide ? 0 : network.bytesASecond();
      long transfer = rate == 0 ? 0 : sent.length() * 1_000_000L / rate;
      long from = Math.max(stalledUntil, timeline.nowMicros()) + latency();
      lastArrival = Math.max(lastArrival, from) + transfer;
      timeline.at(lastArrival, () -> arrive(sent));
    }

    private long latency() {
      return random.mostlySmall(network.latency());
    }

    private void arrive(Buffer sent) {
      if (timeline.nowMicros() > link.cutMicros) {
        return;
      }
      waiting -= sent.length();
      if (full && waiting <= network.queueBytes() / 2) {
        full = false;
        execute(
            () -> {
              if (!closed) {
                listener.onRoom();
              }
            });
      }
      other.loop.execute(() -> other.receive(sent));
    }

    private void receive(Buffer received) {
      try {
        for (LinkRecord each : LinkCodec.read(received)) {
          if (closed) {
            return;
          }
          if (this == link.leafEnd) {
            record(each);
          }
          listener.onRecord(each);
        }
        listener.onFrameEnd();
      } catch (LinkCodec.Malformed e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close(String why) {
      if (!closed) {
        flush();
        long notice = Math.max(lastArrival, timeline.nowMicros()) + latency();
        timeline.at(notice, () -> other.loop.execute(other::onLost));
        onClosed(why);
      }
    }

    private void onLost() {
      if (!closed) {
        onClosed("lost");
      }
    }

    private void onClosed(String why) {
      closed = true;
      if (listener != null) {
        listener.onClosed(why);
      }
      if (this == link.leafEnd) {
        again();
      }
    }
  }
}
