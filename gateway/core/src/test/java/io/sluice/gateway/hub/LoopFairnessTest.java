package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.CountingClient.Work;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.ShardLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Tests a lagging shard on a real event loop. The loop must poll its sockets between batches.
 * Otherwise pings, close frames and completed sends wait until the shard has caught up.
 */
final class LoopFairnessTest {
  private static final int BACKLOG = 100_000;
  private static final int MOST_BATCHES_A_ROUND = 2;

  /** Counts how often its loop has looked at its sockets. Bound to its loop. */
  private static final class CountingHandler implements IoHandler {
    private final IoHandler real;
    private int rounds;

    CountingHandler(IoHandler real) {
      this.real = real;
    }

    @Override
    public int run(IoHandlerContext context) {
      rounds++;
      return real.run(context);
    }

    @Override
    public void initialize() {
      real.initialize();
    }

    @Override
    public void prepareToDestroy() {
      real.prepareToDestroy();
    }

    @Override
    public void destroy() {
      real.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return real.register(handle);
    }

    @Override
    public void wakeup() {
      real.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return real.isCompatible(type);
    }
  }

  /** Makes the one handler of a group of one loop. */
  private static final class CountingFactory implements IoHandlerFactory {
    private CountingHandler handler;

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      handler = new CountingHandler(NioIoHandler.newFactory().newHandler(executor));
      return handler;
    }
  }

  private record RealLoop(EventLoop loop) implements ShardLoop {
    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    @Override
    public void executeAfterIo(Runnable task) {
      loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void executeLater(Runnable task, long delayMs) {
      loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void endBatch() {}
  }

  @Test
  void shouldPollSocketsBetweenBatches() throws Exception {
    CountingFactory factory = new CountingFactory();
    MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, factory);
    List<Integer> rounds = new ArrayList<>();
    Config config = Config.defaults().with(LimitSettings.INGRESS_QUEUE, 2 * BACKLOG);
    try (HubFixture fixture = new HubFixture(0, config, 2 * BACKLOG)) {
      fixture.broker.connect();
      deliverBacklog(fixture, group.next(), () -> rounds.add(factory.handler.rounds));
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    assertThat(rounds).hasSizeGreaterThan(BACKLOG / 1024);
    for (int i = MOST_BATCHES_A_ROUND; i < rounds.size(); i++) {
      assertThat(rounds.get(i))
          .as("the round of batch %d, after that of the %d before", i, MOST_BATCHES_A_ROUND)
          .isGreaterThan(rounds.get(i - MOST_BATCHES_A_ROUND));
    }
  }

  private static void deliverBacklog(HubFixture fixture, EventLoop loop, Runnable atBatchEnd)
      throws InterruptedException {
    HubShard shard = fixture.hub.newShard(new RealLoop(loop));
    Work work = new Work();
    CountDownLatch subscribed = new CountDownLatch(1);
    CountDownLatch delivered = new CountDownLatch(1);
    CountDownLatch published = new CountDownLatch(1);
    Runnable counting =
        () -> {
          atBatchEnd.run();
          subscribed.countDown();
          if (work.deliveries > BACKLOG) {
            delivered.countDown();
          }
        };
    loop.submit(() -> new CountingClient(shard, work, counting).subscribe("greedy")).sync();
    fixture.settle();
    assertThat(subscribed.await(60, TimeUnit.SECONDS)).as("subscribed").isTrue();
    loop.execute(() -> hold(published)); // so that all of it waits at once
    for (int i = 0; i < BACKLOG; i++) {
      fixture.broker.publish("greedy");
    }
    published.countDown();
    assertThat(delivered.await(60, TimeUnit.SECONDS)).as("delivered").isTrue();
    loop.submit(() -> {}).sync();
  }

  private static void hold(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
