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
 * Clients that connect through a balancer, each with one topic, and their observations. All share
 * one thread. Any thread may call a method if its documentation states it.
 */
final class RoamingClients implements AutoCloseable {
  private static final long CHECK_MS = 500;
  private static final long LEAST_BACKOFF_MS = 500;
  private static final long MOST_BACKOFF_MS = 30_000;

  private final EventLoopGroup loop = Loops.one("clients");
  private final InetSocketAddress balancer;
  private final List<String> topics;
  private final List<RoamingClient> roamers = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private Tallies before = Tallies.NONE;
  private long drained;
  private long rebalanced;
  private long redirected;
  private final EventTimes leaving = new EventTimes();
  private long moved;
  private long overlapped;
  private long broken;
  private boolean closing;

  /** Sums of all clients. */
  private record Tallies(long received, long lost, long duplicates, long gaps) {
    static final Tallies NONE = new Tallies(0, 0, 0, 0);
  }

  RoamingClients(InetSocketAddress balancer, List<String> topics) {
    this.balancer = balancer;
    this.topics = List.copyOf(topics);
    loop.scheduleWithFixedDelay(this::check, CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
  }

  /** Returns a random delay up to a bound that doubles with each failure. */
  static long backoffMs(int failures) {
    long bound = LEAST_BACKOFF_MS << Math.min(Math.max(0, failures - 1), 10);
    return ThreadLocalRandom.current().nextLong(Math.min(bound, MOST_BACKOFF_MS));
  }

  /** Adds clients, which begin to connect. Any thread. */
  void add(int count) {
    add(count, null);
  }

  /** Adds clients, which begin to connect and use only this node. Any thread. */
  void add(int count, String url) {
    ask(
        () -> {
          for (int i = 0; i < count; i++) {
            RoamingClient roamer =
                new RoamingClient(this, topics.get(roamers.size() % topics.size()), url);
            roamers.add(roamer);
            roamer.dial();
          }
          return null;
        });
  }

  private <T> T ask(Callable<T> question) {
    return loop.submit(question).syncUninterruptibly().getNow();
  }

  /** Returns the number of clients. Any thread. */
  int count() {
    return ask(roamers::size);
  }

  /** Returns the number of clients with an active subscription. Any thread. */
  int live() {
    return ask(() -> (int) roamers.stream().filter(RoamingClient::isLive).count());
  }

  /**
   * Returns the number of clients that have not received these numbers, which are in the order of
   * the topics. Any thread.
   */
  int behind(List<Long> numbers) {
    return ask(
        () ->
            (int)
                roamers.stream()
                    .filter(r -> r.tally().last() < numbers.get(topics.indexOf(r.topic())))
                    .count());
  }

  /**
   * Returns the number of clients whose position a node does not trust. The node's log is complete
   * since a time, and clocks may differ by a margin. Any thread.
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

  /** Returns the observations since the previous call. Any thread. */
  Observations take() {
    return ask(this::takeNow);
  }

  private Observations takeNow() {
    Tallies now = sum();
    double[] silencesMs = roamers.stream().mapToDouble(RoamingClient::takeSilenceMs).toArray();
    Observations observations =
        new Observations(
            now.received() - before.received(),
            now.lost() - before.lost(),
            now.duplicates() - before.duplicates(),
            now.gaps() - before.gaps(),
            errors.size(),
            drained,
            rebalanced,
            redirected,
            moved,
            overlapped,
            leaving.maxWithin(TimeUnit.SECONDS.toNanos(Plan.PACE_S)),
            broken,
            Arrays.stream(silencesMs).max().orElse(0));
    before = now;
    errors.clear();
    drained = 0;
    rebalanced = 0;
    redirected = 0;
    moved = 0;
    overlapped = 0;
    leaving.clear();
    broken = 0;
    return observations;
  }

  private Tallies sum() {
    Tallies sum = Tallies.NONE;
    for (RoamingClient roamer : roamers) {
      Tally one = roamer.tally();
      sum =
          new Tallies(
              sum.received() + one.received(),
              sum.lost() + one.lost(),
              sum.duplicates() + one.duplicates(),
              sum.gaps() + one.gaps());
    }
    return sum;
  }

  /**
   * Opens a link.
   *
   * @param url target; null for the balancer
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
                link.abort();
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

  /** Runs a task later, unless all clients are closed before. */
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
    drained++;
  }

  void onRebalanced() {
    rebalanced++;
  }

  void onRedirected() {
    redirected++;
  }

  /** Counts a connect of a client whose node drains. */
  void onLeaving() {
    leaving.add();
  }

  /**
   * Counts a client that has moved.
   *
   * @param overlaps whether its old connection was still open
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
      System.err.println("unexpected at a client: " + what);
    }
    errors.add(what);
  }

  @Override
  public void close() {
    ask(
        () -> {
          closing = true;
          roamers.forEach(RoamingClient::stop);
          return null;
        });
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
