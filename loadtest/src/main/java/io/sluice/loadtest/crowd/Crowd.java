package io.sluice.loadtest.crowd;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Very many clients of a gateway, and what they have to say. Any thread may call it; its state is
 * that of one thread of its own.
 *
 * <p>Until all clients have been there once, the first failure ends the crowd: what would be
 * measured is not what was asked for. Later ones are told and counted.
 */
public final class Crowd implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 10;

  private final CrowdOptions options;
  private final CrowdEvents events;
  private final CrowdLimits limits;
  private final MultiThreadIoEventLoopGroup group;
  private final List<EventLoop> threads = new ArrayList<>();
  private final List<CrowdLoop> loops = new ArrayList<>();
  private final ScheduledExecutorService control =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("crowd-control", true));
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private Duration limit;
  private Round round;
  private int rounds;
  private boolean wasReady;
  private boolean closed;

  /** Something that is told of when all loops have done it. */
  private static final class Round {
    private final int number;
    private final String event;
    private final int clients;
    private final long startNanos = System.nanoTime();
    private int loopsLeft;

    Round(int number, String event, int clients, int loops) {
      this.number = number;
      this.event = event;
      this.clients = clients;
      this.loopsLeft = loops;
    }
  }

  private Crowd(CrowdOptions options, CrowdEvents events, CrowdLimits limits) throws IOException {
    Transport transport = options.transport().resolve();
    CrowdPlan plan = new CrowdPlan(options);
    SslContext tls = options.url().tls() ? tls(options) : null;
    this.options = options;
    this.events = events;
    this.limits = limits;
    this.group =
        new MultiThreadIoEventLoopGroup(
            options.threads(), new DefaultThreadFactory("crowd", true), transport.handlers());
    try {
      events.start(transport);
      for (int i = 0; i < options.threads(); i++) {
        IoEventLoop thread = group.next();
        int index = i;
        threads.add(thread);
        loops.add(
            await(
                thread,
                () -> {
                  Links links = transport.links(thread, tls, options.url());
                  return new CrowdLoop(thread, links, plan, index, new FromLoops());
                }));
      }
    } catch (IOException e) {
      group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS);
      throw e;
    }
  }

  /**
   * Starts a crowd, which begins to connect.
   *
   * @param limit how long it lasts once all are there, or null for until it is closed
   * @throws IOException if it cannot be; the message is one line
   */
  public static Crowd start(CrowdOptions options, CrowdEvents events, Duration limit)
      throws IOException {
    return start(options, events, limit, CrowdLimits.ofThisProcess());
  }

  static Crowd start(CrowdOptions options, CrowdEvents events, Duration limit, CrowdLimits limits)
      throws IOException {
    String objection = objection(limits, options, options.clients());
    if (objection != null) {
      throw new IOException(objection);
    }
    Crowd crowd = new Crowd(options, events, limits);
    crowd.limit = limit;
    crowd.control.scheduleAtFixedRate(crowd::onSecond, 1, 1, TimeUnit.SECONDS);
    crowd.resize(options.clients());
    return crowd;
  }

  private static String objection(CrowdLimits limits, CrowdOptions options, int clients) {
    int addresses = Math.max(1, options.fromAddresses().size());
    return limits.objection(clients, options.first(), addresses);
  }

  private static SslContext tls(CrowdOptions options) throws IOException {
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (options.insecure()) {
      builder
          .trustManager(InsecureTrustManagerFactory.INSTANCE)
          .endpointIdentificationAlgorithm("");
    } else if (options.trust() != null) {
      builder.trustManager(options.trust().toFile());
    }
    return builder.build();
  }

  /** Grows or shrinks to so many clients, and brings back those that were lost. */
  public void resize(int clients) {
    onControl(
        () -> {
          String objection = objection(limits, options, clients);
          if (objection != null) {
            events.error(objection);
            return;
          }
          begin("ready", clients, (loop, number) -> loop.resize(clients, number));
        });
  }

  /** Has all clients leave at once and come back. */
  public void reconnect(Drop how) {
    onControl(
        () -> {
          int clients = round.clients;
          begin("reconnected", clients, (loop, number) -> loop.reconnect(how, number));
        });
  }

  /** Says that something was asked for that there is not. */
  public void complain(String message) {
    onControl(() -> events.error(message));
  }

  /** Has it end soon. */
  public void stop() {
    end.complete(null);
  }

  /**
   * Waits for the end.
   *
   * @throws IOException if it failed; the message is one line
   */
  public void awaitEnd() throws IOException, InterruptedException {
    try {
      end.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  private interface Step {
    void take(CrowdLoop loop, int round);
  }

  private void begin(String event, int clients, Step step) {
    int number = ++rounds;
    round = new Round(number, event, clients, loops.size());
    for (int i = 0; i < loops.size(); i++) {
      CrowdLoop loop = loops.get(i);
      threads.get(i).execute(() -> step.take(loop, number));
    }
  }

  private void onRoundComplete() {
    events.complete(round.event, round.clients, System.nanoTime() - round.startNanos);
    if (!wasReady && limit != null) {
      control.schedule(this::stop, limit.toMillis(), TimeUnit.MILLISECONDS);
    }
    wasReady = true;
  }

  private void onLoopComplete(int number) {
    if (number == round.number && --round.loopsLeft == 0) {
      onRoundComplete();
    }
  }

  private void onComplaint(String message) {
    if (!end.isDone()) {
      events.error(message);
    }
    if (!wasReady) {
      end.completeExceptionally(new IOException(message));
    }
  }

  /** Brings what the loops say to the crowd's own thread. */
  private final class FromLoops implements CrowdListener {
    @Override
    public void onComplete(int number) {
      onControl(() -> onLoopComplete(number));
    }

    @Override
    public void onComplaint(String message) {
      onControl(() -> Crowd.this.onComplaint(message));
    }
  }

  private void onSecond() {
    try {
      events.second(counts());
    } catch (IOException e) {
      events.error(e.getMessage());
    }
  }

  private Counts counts() throws IOException {
    Counts sum = Counts.NONE;
    for (int i = 0; i < loops.size(); i++) {
      CrowdLoop loop = loops.get(i);
      sum = sum.plus(await(threads.get(i), () -> loop.counters().counts()));
    }
    return sum;
  }

  private static <T> T await(EventLoop thread, Callable<T> task) throws IOException {
    try {
      return thread.submit(task).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (TimeoutException e) {
      throw new IOException("a thread of clients has been busy for " + PATIENCE_SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  private void onControl(Runnable task) {
    try {
      control.execute(task);
    } catch (RejectedExecutionException e) {
      // It is closed, and nobody listens any more.
    }
  }

  /** Tells the totals, has all clients leave and waits until they have. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    end.complete(null);
    control.shutdown();
    try {
      control.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
      events.end(counts());
      for (int i = 0; i < loops.size(); i++) {
        CrowdLoop loop = loops.get(i);
        await(
            threads.get(i),
            () -> {
              loop.close();
              return null;
            });
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      events.error(e.getMessage());
    } finally {
      group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
