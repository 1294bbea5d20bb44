package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.sluice.loadtest.load.dialect.Conversation;
import io.sluice.loadtest.load.dialect.Handshake;
import io.sluice.loadtest.load.dialect.PublishingDialect;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Client that publishes stamped messages to all topics in turn, at a constant rate. Bound to its
 * event loop.
 */
final class LoadPublisher implements Link.Listener, Conversation.Listener {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final EventLoop loop;
  private final Connector links;
  private final ClientPlan plan;
  private final PublishingDialect dialect;
  private final Consumer<String> onError;
  private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();
  private final ByteBuf scratch = PooledByteBufAllocator.DEFAULT.directBuffer();
  private final double intervalNanos;
  private Link link;
  private Handshake handshake;
  private Conversation conversation;
  private Future<?> ticks;
  private long startNanos;
  private long startUnixNanos;
  private long published;

  LoadPublisher(EventLoop loop, Connector links, ClientPlan plan, Consumer<String> onError) {
    this.loop = loop;
    this.links = links;
    this.plan = plan;
    this.dialect = (PublishingDialect) plan.dialect();
    this.onError = onError;
    double perSecond = plan.options().publish().rate() * plan.options().topics();
    this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
  }

  /** Connects, and publishes when the server has accepted the client. */
  void start() {
    try {
      link = links.connect(this, plan.to(), plan.from(0));
    } catch (IOException e) {
      onEnd(e);
    }
  }

  @Override
  public void onConnected() {
    handshake = dialect.handshake("");
    ByteBuf request = out();
    handshake.writeRequest(request);
    send(request);
  }

  @Override
  public void onBytes(ByteBuf in) {
    if (conversation == null && handshake.read(in)) {
      String fault = handshake.fault(in);
      if (fault != null) {
        fail(fault);
        return;
      }
      conversation = dialect.publisher(this);
      ByteBuf first = out();
      conversation.begin(first);
      send(first);
    }
    if (conversation != null && link != null) {
      String fault = conversation.read(in, scratch);
      if (fault != null) {
        fail(fault);
      }
    }
  }

  @Override
  public void onSubscribed() {
    startNanos = System.nanoTime();
    startUnixNanos = SequenceCounter.unixNanos();
    ticks = loop.scheduleAtFixedRate(this::onTick, TICK_NANOS, TICK_NANOS, TimeUnit.NANOSECONDS);
  }

  private void onTick() {
    ByteBuf batch = out();
    long elapsed = System.nanoTime() - startNanos;
    int topics = plan.options().topics();
    while (published * intervalNanos <= elapsed) {
      long due = startUnixNanos + (long) (published * intervalNanos);
      String topic = plan.options().topic((int) (published % topics));
      dialect.writePublish(batch, topic, payload(due, published / topics));
      published++;
    }
    if (batch.isReadable()) {
      send(batch);
    }
  }

  private byte[] payload(long dueUnixNanos, long number) {
    byte[] stamp = ("TS=" + dueUnixNanos + " SEQ=" + number + " ").getBytes(US_ASCII);
    int length = Math.max(stamp.length, plan.options().publish().bytes());
    byte[] payload = Arrays.copyOf(stamp, length);
    Arrays.fill(payload, stamp.length, length, (byte) 'x');
    return payload;
  }

  @Override
  public ByteBuf out() {
    return out.clear();
  }

  @Override
  public void send(ByteBuf bytes) {
    try {
      link.send(bytes);
    } catch (IOException e) {
      fail("cannot send: " + e.getMessage());
    }
  }

  @Override
  public void onEnd(Throwable cause) {
    link = null;
    stop("the connection ended" + (cause == null ? "" : ": " + cause.getMessage()));
  }

  @Override
  public void onRefused(String reason) {
    fail("was rejected with " + reason);
  }

  @Override
  public void onClosed(String reason) {
    fail(reason);
  }

  private void fail(String reason) {
    if (link != null) {
      link.close();
      link = null;
      stop(reason);
    }
  }

  private void stop(String reason) {
    if (ticks != null) {
      ticks.cancel(false);
    }
    onError.accept("publisher: " + reason);
  }

  /** Disconnects. */
  void close() {
    if (ticks != null) {
      ticks.cancel(false);
    }
    if (link != null) {
      link.close();
    }
    links.close();
    out.release();
    scratch.release();
  }

  @Override
  public void onData(long bytes) {
    // Only confirmations are received.
  }

  @Override
  public void onMessage(ByteBuf bytes, int start, int count) {
    // The publisher has no subscription.
  }

  @Override
  public void onContent(byte[] content) {
    // The publisher has no subscription.
  }

  @Override
  public void onInflated(long bytes) {
    // The publisher requests no compression.
  }

  @Override
  public void onGap() {
    // The publisher has no subscription.
  }
}
