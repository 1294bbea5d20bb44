package io.sluice.gateway.hosts;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.sluice.gateway.attack.Loops;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Clients that come through a balancer, each with one topic, and what they see. All share one
 * thread; the methods that say so may be called by any.
 */
final class Roamers implements AutoCloseable {
  private static final long CHECK_MS = 500;
  private static final long LEAST_BACKOFF_MS = 500;
  private static final long MOST_BACKOFF_MS = 30_000;

  private final EventLoopGroup loop = Loops.one("clients");
  private final InetSocketAddress balancer;
  private final List<String> topics;
  private final List<Roamer> roamers = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private Tallies before = Tallies.NONE;
  private long sentAway;
  private long shed;
  private long redirected;
  private final Moments leaving = new Moments();
  private long moved;
  private long overlapped;
  private long broken;
  private boolean closing;

  /** Sums over all clients. */
  private record Tallies(long received, long lost, long doubled, long told) {
    static final Tallies NONE = new Tallies(0, 0, 0, 0);
  }

  Roamers(InetSocketAddress balancer, List<String> topics) {
    this.balancer = balancer;
    this.topics = List.copyOf(topics);
    loop.scheduleWithFixedDelay(this::check, CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
  }

  /** Anything between 0 and a bound that doubles with each failure. */
  static long backoffMs(int failures) {
    long bound = LEAST_BACKOFF_MS << Math.min(Math.max(0, failures - 1), 10);
    return ThreadLocalRandom.current().nextLong(Math.min(bound, MOST_BACKOFF_MS));
  }

  /** So many more begin to connect; any thread. */
  void add(int count) {
    add(count, null);
  }

  /** So many more begin to connect to a node, and know no other; any thread. */
  void add(int count, String url) {
    ask(
        () -> {
          for (int i = 0; i < count; i++) {
            Roamer roamer = new Roamer(this, topics.get(roamers.size() % topics.size()), url);
            roamers.add(roamer);
            roamer.dial();
          }
          return null;
        });
  }

  private <T> T ask(Callable<T> question) {
    return loop.submit(question).syncUninterruptibly().getNow();
  }

  /** How many there are; any thread. */
  int count() {
    return ask(roamers::size);
  }

  /** How many have a subscription that stands; any thread. */
  int live() {
    return ask(() -> (int) roamers.stream().filter(Roamer::isLive).count());
  }

  /** How many have not had these numbers, those of the topics in their order; any thread. */
  int behind(List<Long> numbers) {
    return ask(
        () ->
            (int)
                roamers.stream()
                    .filter(r -> r.tally().last() < numbers.get(topics.indexOf(r.topic())))
                    .count());
  }

  /**
   * How many have a position that a node does not trust that is complete since a time, where clocks
   * may differ by a margin; any thread.
   */
  int untrusted(long completeSinceMs, long marginMs) {
    return ask(
        () ->
            (int)
                roamers.stream()
                    .filter(
                        r ->
                            r.caughtUpMs()
                                < Math.max(completeSinceMs, r.sinceMs() + marginMs) + marginMs)
                    .count());
  }

  /** What was seen since this was asked last; any thread. */
  Sightings take() {
    return ask(this::takeNow);
  }

  private Sightings takeNow() {
    Tallies now = sum();
    double[] silencesMs = roamers.stream().mapToDouble(Roamer::takeSilenceMs).toArray();
    Sightings sightings =
        new Sightings(
            now.received() - before.received(),
            now.lost() - before.lost(),
            now.doubled() - before.doubled(),
            now.told() - before.told(),
            errors.size(),
            sentAway,
            shed,
            redirected,
            moved,
            overlapped,
            leaving.most(TimeUnit.SECONDS.toNanos(Plan.PACE_S)),
            broken,
            Arrays.stream(silencesMs).max().orElse(0));
    before = now;
    errors.clear();
    sentAway = 0;
    shed = 0;
    redirected = 0;
    moved = 0;
    overlapped = 0;
    leaving.clear();
    broken = 0;
    return sightings;
  }

  private Tallies sum() {
    Tallies sum = Tallies.NONE;
    for (Roamer roamer : roamers) {
      Tally one = roamer.tally();
      sum =
          new Tallies(
              sum.received() + one.received(),
              sum.lost() + one.lost(),
              sum.doubled() + one.doubled(),
              sum.told() + one.told());
    }
    return sum;
  }

  /**
   * Opens a link.
   *
   * @param url where to; null for the balancer
   */
  Link dial(Link.Listener listener, String url) {
    Link link = new Link(listener, url != null);
    Loops.bootstrap(loop)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(link);
              }
            })
        .connect(url == null ? balancer : address(url))
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                link.giveUp();
              }
            });
    return link;
  }

  private static InetSocketAddress address(String url) {
    URI uri = URI.create(url);
    if (!"ws".equals(uri.getScheme()) || !"/ws".equals(uri.getPath())) {
      throw new IllegalStateException("clients are sent to " + url);
    }
    return new InetSocketAddress(uri.getHost(), uri.getPort());
  }

  /** Runs it later, unless all end first. */
  void schedule(long delayMs, Runnable task) {
    loop.schedule(
        () -> {
          if (!closing) {
            task.run();
          }
        },
        delayMs,
        TimeUnit.MILLISECONDS);
  }

  private void check() {
    long nowNs = System.nanoTime();
    roamers.forEach(roamer -> roamer.check(nowNs));
  }

  void onSentAway() {
    sentAway++;
  }

  void onShed() {
    shed++;
  }

  void onRedirected() {
    redirected++;
  }

  /** A client connects elsewhere that was told to leave. */
  void onLeaving() {
    leaving.add();
  }

  /**
   * A client goes on elsewhere.
   *
   * @param overlaps whether its old connection stands
   */
  void onMoved(boolean overlaps) {
    moved++;
    overlapped += overlaps ? 1 : 0;
  }

  void onBroken() {
    broken++;
  }

  void onError(String what) {
    if (errors.isEmpty()) {
      System.err.println("a client is told: " + what);
    }
    errors.add(what);
  }

  @Override
  public void close() {
    ask(
        () -> {
          closing = true;
          roamers.forEach(Roamer::stop);
          return null;
        });
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
