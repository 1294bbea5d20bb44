package io.sluice.gateway.attack;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Connections that run a script. Opens a new one for each that ends, until it is closed. Has one
 * thread; its methods are for any thread.
 */
final class Attackers implements AutoCloseable {
  /** Outcome of a frame that the node must not send. */
  static final String LEAKED = "leaked";

  private static final long OPEN_MS = 10;
  private static final int MOST_CONNECTING = 200;
  private static final int SMALL_RECEIVE_BUFFER = 4096;

  private final EventLoopGroup loop = Loops.one("attackers");
  private final Target target;
  private final Script script;
  private final int most;
  private final double opensPerSecond;
  private final SslContext tls;
  private final ByteBuf beat;
  private final Set<Channel> channels = new LinkedHashSet<>();
  private final Set<Attacker> begun = new LinkedHashSet<>();
  private final Map<String, Long> outcomes = new TreeMap<>();
  private int connecting;
  private int number;
  private double allowed;
  private long lastOpenNs;
  private boolean closed;

  /**
   * @param most connections at once
   * @param opensPerSecond maximum new connections per second; 0: unlimited
   */
  Attackers(Target target, Script script, int most, double opensPerSecond) {
    this.target = target;
    this.script = script;
    this.most = most;
    this.opensPerSecond = opensPerSecond;
    this.tls = target.way() == Target.Way.TLS && script.tls() ? Target.tls() : null;
    this.beat =
        Unpooled.unreleasableBuffer(
            Unpooled.directBuffer(Math.max(1, script.beat().length)).writeBytes(script.beat()));
  }

  /** Opens the connections. */
  void start() {
    lastOpenNs = System.nanoTime();
    loop.scheduleAtFixedRate(this::openSome, 0, OPEN_MS, TimeUnit.MILLISECONDS);
    if (script.beatMs() > 0) {
      loop.scheduleAtFixedRate(
          () -> List.copyOf(begun).forEach(attacker -> attacker.beat(beat)),
          script.beatMs(),
          script.beatMs(),
          TimeUnit.MILLISECONDS);
    }
  }

  private void openSome() {
    long nowNs = System.nanoTime();
    allowed =
        opensPerSecond == 0
            ? MOST_CONNECTING
            : Math.min(opensPerSecond, allowed + opensPerSecond * (nowNs - lastOpenNs) / 1e9);
    lastOpenNs = nowNs;
    while (allowed >= 1 && connecting < MOST_CONNECTING && channels.size() + connecting < most) {
      allowed--;
      connect(number++);
    }
  }

  private void connect(int connection) {
    connecting++;
    Attacker attacker = new Attacker(this, script, connection, tls != null);
    bootstrap(attacker)
        .connect(
            new InetSocketAddress(target.host(), target.port()),
            new InetSocketAddress(target.from(connection), 0))
        .addListener((ChannelFutureListener) this::onConnected);
  }

  private Bootstrap bootstrap(Attacker attacker) {
    Bootstrap bootstrap = Loops.bootstrap(loop);
    if (Epoll.isAvailable()) {
      bootstrap.option(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
    }
    if (!script.reads()) {
      bootstrap.option(ChannelOption.AUTO_READ, false);
      bootstrap.option(ChannelOption.SO_RCVBUF, SMALL_RECEIVE_BUFFER);
    }
    return bootstrap.handler(
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            if (tls != null) {
              channel.pipeline().addLast(tls.newHandler(channel.alloc()));
            }
            channel.pipeline().addLast(attacker);
          }
        });
  }

  private void onConnected(ChannelFuture connected) {
    connecting--;
    if (!connected.isSuccess()) {
      count("not connected");
    } else if (closed) {
      connected.channel().close();
    } else if (connected.channel().isActive()) {
      channels.add(connected.channel());
      connected.channel().closeFuture().addListener(end -> channels.remove(connected.channel()));
    }
  }

  /** Starts to send the repeated bytes of a connection. */
  void onBegun(Attacker attacker) {
    if (script.beatMs() > 0) {
      begun.add(attacker);
    } else {
      attacker.beat(beat);
    }
  }

  /** Counts the outcome of an ended connection. */
  void onEnded(Attacker attacker, String outcome) {
    begun.remove(attacker);
    count(outcome);
  }

  /** Counts an outcome. */
  void count(String outcome) {
    if (!closed) {
      outcomes.merge(outcome, 1L, Long::sum);
    }
  }

  /** Returns the number of ended connections, and of counted frames, by outcome. */
  Map<String, Long> outcomes() {
    return loop.submit(() -> new TreeMap<>(outcomes)).syncUninterruptibly().getNow();
  }

  /** Returns the current number of connections. */
  int open() {
    return loop.submit(channels::size).syncUninterruptibly().getNow();
  }

  /** Resets all connections. Returns when they are closed. */
  @Override
  public void close() {
    loop.submit(
            () -> {
              closed = true;
              new ArrayList<>(channels)
                  .forEach(
                      channel -> {
                        channel.config().setOption(ChannelOption.SO_LINGER, 0);
                        channel.close();
                      });
            })
        .syncUninterruptibly();
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
