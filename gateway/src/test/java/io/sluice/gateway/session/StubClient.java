package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import io.sluice.gateway.websocket.CloseCode;

/**
 * Client with the real outgoing half of a session on a connection that accepts all bytes at once,
 * for benchmarks. Bound to the benchmark's thread.
 */
public final class StubClient extends Recipient {
  /** Connection that accepts all bytes with each flush. */
  private static final class Sink implements Connection {
    private static final Lease LEASE = Lease.unlimited();

    private long pending;

    @Override
    public void write(ByteBuf frames) {
      pending += frames.readableBytes();
    }

    @Override
    public void flush() {
      pending = 0;
    }

    @Override
    public void flushInBatch() {
      pending = 0;
    }

    @Override
    public void abort() {
      pending = 0;
    }

    @Override
    public long pendingBytes() {
      return pending;
    }

    @Override
    public void close(CloseCode code) {
      throw new IllegalStateException(code.reason());
    }

    @Override
    public String address() {
      return "stub";
    }

    @Override
    public Lease lease() {
      return LEASE;
    }

    @Override
    public void execute(Runnable task) {
      throw new UnsupportedOperationException();
    }
  }

  private StubClient(HubShard shard, SessionPolicy policy, Encoding encoding) {
    super(new Sink(), shard, policy, encoding, null);
  }

  /** Adds clients to a shard. */
  public static StubClient[] join(
      Hub hub,
      HubShard shard,
      Config config,
      GatewayMetrics metrics,
      Encoding encoding,
      int count) {
    SessionPolicy policy =
        new SessionPolicy(
            SessionOptions.of(config),
            "node",
            "test",
            PooledByteBufAllocator.DEFAULT,
            hub,
            metrics,
            access(config));
    StubClient[] clients = new StubClient[count];
    for (int i = 0; i < count; i++) {
      clients[i] = new StubClient(shard, policy, encoding);
      shard.join(clients[i]);
    }
    return clients;
  }

  private static Access access(Config config) {
    try {
      return TestAccess.open(config);
    } catch (UnusableAuth e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean isClosing() {
    return false;
  }

  @Override
  void close(CloseCode code) {
    connection.close(code);
  }

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    throw new IllegalStateException(why);
  }

  @Override
  public void onSources() {}
}
