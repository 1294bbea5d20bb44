package io.sluice.gateway.attack;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Honest clients, spread over the topics of a feed, and their observations. Has one thread; its
 * methods are for any thread.
 */
final class HonestClients implements AutoCloseable {
  private static final int AT_ONCE = 100;
  private static final long LONGEST_US = TimeUnit.MINUTES.toMicros(5);
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final EventLoopGroup loop = Loops.one("honest");
  private final Target target;
  private final String prefix;
  private final int topics;
  private final SslContext tls;
  private final Set<HonestClient> clients = new LinkedHashSet<>();
  private final Histogram latencies = new Histogram(LONGEST_US, 3);
  private long lost;
  private long doubled;
  private long told;
  private long gone;
  private int connected;
  private int newcomers;
  private boolean closing;

  /**
   * @param prefix of the topics' names; their numbers follow
   * @param topics how many, among which the clients are spread
   */
  HonestClients(Target target, String prefix, int topics) {
    this.target = target;
    this.prefix = prefix;
    this.topics = topics;
    this.tls = target.way() == Target.Way.TLS ? Target.tls() : null;
  }

  String topic(int number) {
    return prefix + number;
  }

  /** Connects further clients. Returns when all are subscribed. */
  void connect(int count) {
    for (int left = count; left > 0; left -= AT_ONCE) {
      List<CompletableFuture<Void>> some = new ArrayList<>();
      for (int i = 0; i < Math.min(left, AT_ONCE); i++) {
        some.add(open(connected++, true, false).subscribed());
      }
      CompletableFuture.allOf(some.toArray(CompletableFuture<?>[]::new))
          .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
          .join();
    }
  }

  /**
   * Measures the time in which a new client with a WebSocket and one with a stream are subscribed,
   * in ms, the longer one; negative if one exceeds the given time.
   */
  double newcomer(long timeoutMs) {
    double socketMs = newcomer(timeoutMs, false);
    double streamMs = newcomer(timeoutMs, true);
    return socketMs < 0 || streamMs < 0 ? -1 : Math.max(socketMs, streamMs);
  }

  private double newcomer(long timeoutMs, boolean stream) {
    long startNs = System.nanoTime();
    HonestClient client = open(connected + newcomers++, false, stream);
    try {
      client.subscribed().orTimeout(timeoutMs, TimeUnit.MILLISECONDS).join();
      return (System.nanoTime() - startNs) / 1e6;
    } catch (RuntimeException e) {
      return -1; // refused, cut or too late; which of them does not matter to it
    } finally {
      client.leave();
    }
  }

  private HonestClient open(int number, boolean stays, boolean stream) {
    HonestClient client =
        new HonestClient(
            this, number % topics, preface(number), target.token(number), stream, tls != null);
    if (stays) {
      loop.submit(() -> clients.add(client)).syncUninterruptibly();
    }
    Loops.bootstrap(loop)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                if (tls != null) {
                  channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                }
                channel.pipeline().addLast(client);
              }
            })
        .connect(
            new InetSocketAddress(target.host(), target.port()),
            new InetSocketAddress(target.from(number), 0))
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                client.subscribed().completeExceptionally(done.cause());
              }
            });
    return client;
  }

  /** Runs it on the clients' thread. */
  void execute(Runnable task) {
    loop.execute(task);
  }

  private byte[] preface(int number) {
    return target.way() == Target.Way.PROXY
        ? Bytes.ascii("PROXY TCP4 192.0.2.%d 192.0.2.0 4711 80\r\n".formatted(1 + number % 250))
        : new byte[0];
  }

  /** Counts a message and those missing before it; a negative number counts late ones. */
  void onMessage(long sentNs, long missing) {
    Instant now = Instant.now();
    long nowNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    long latencyUs = TimeUnit.NANOSECONDS.toMicros(nowNs - sentNs);
    latencies.recordValue(Math.max(0, Math.min(LONGEST_US, latencyUs)));
    if (missing > 0) {
      lost += missing;
    } else if (missing < 0) {
      doubled++;
    }
  }

  void onTold() {
    told++;
  }

  void onGone(HonestClient client) {
    if (!closing && clients.contains(client)) {
      gone++;
    }
  }

  /** Returns the observations since the last call. */
  Reading read() {
    return loop.submit(this::take).syncUninterruptibly().getNow();
  }

  private Reading take() {
    Reading reading =
        new Reading(
            latencies.getTotalCount(),
            lost,
            doubled,
            told,
            gone,
            behind(),
            latencies.getValueAtPercentile(50) / 1e3,
            latencies.getValueAtPercentile(99) / 1e3,
            latencies.getMaxValue() / 1e3);
    latencies.reset();
    lost = 0;
    doubled = 0;
    told = 0;
    gone = 0;
    return reading;
  }

  private long behind() {
    long[] most = new long[topics];
    clients.forEach(c -> most[c.topic()] = Math.max(most[c.topic()], c.last()));
    return clients.stream().mapToLong(c -> most[c.topic()] - c.last()).sum();
  }

  @Override
  public void close() {
    loop.submit(() -> closing = true).syncUninterruptibly();
    loop.submit(() -> clients.forEach(HonestClient::leave)).syncUninterruptibly();
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
