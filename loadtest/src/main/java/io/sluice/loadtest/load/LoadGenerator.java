package io.sluice.loadtest.load;

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
import org.HdrHistogram.Histogram;

/**
 * Load generator: many clients of one gateway and their statistics. Thread-safe; its control thread
 * {@code load-control} owns the state.
 *
 * <p>Until all clients have been subscribed once, the first failure stops the load generator. Later
 * failures are reported and counted.
 */
public final class LoadGenerator implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 10;

  private final GeneratorOptions options;
  private final GeneratorEvents events;
  private final ConnectionLimits limits;
  private final MultiThreadIoEventLoopGroup group;
  private final List<EventLoop> threads = new ArrayList<>();
  private final List<ClientLoop> loops = new ArrayList<>();
  private final ScheduledExecutorService control =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("load-control", true));
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private LoadPublisher publisher;
  private EventLoop publisherThread;
  private MeasuredWindow window;
  private Duration limit;
  private Round round;
  private int rounds;
  private boolean wasReady;
  private boolean closed;

  /** Operation that completes when all loops have completed it. */
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

  private LoadGenerator(GeneratorOptions options, GeneratorEvents events, ConnectionLimits limits)
      throws IOException {
    Transport transport = options.transport().resolve();
    ClientPlan plan = new ClientPlan(options);
    SslContext tls = options.url().tls() ? tls(options) : null;
    this.options = options;
    this.events = events;
    this.limits = limits;
    this.group =
        new MultiThreadIoEventLoopGroup(
            options.threads() + (options.publish() == null ? 0 : 1),
            new DefaultThreadFactory("load", true),
            transport.handlers());
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
                  Connector links = transport.connector(thread, tls, options.url());
                  return new ClientLoop(thread, links, plan, index, new LoopListener());
                }));
      }
      if (options.publish() != null) {
        openPublisher(group.next(), transport, tls, plan);
      }
    } catch (IOException e) {
      group.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS);
      throw e;
    }
  }

  private void openPublisher(
      IoEventLoop thread, Transport transport, SslContext tls, ClientPlan plan) throws IOException {
    publisherThread = thread;
    publisher =
        await(
            thread,
            () ->
                new LoadPublisher(
                    thread,
                    transport.channelConnector(thread, tls, options.url()),
                    plan,
                    message -> onControl(() -> onError(message))));
  }

  /**
   * Starts a load generator, which connects its clients.
   *
   * @param limit duration after all clients are subscribed, or null to run until it is closed
   * @throws IOException if it cannot start; the message is one line
   */
  public static LoadGenerator start(
      GeneratorOptions options, GeneratorEvents events, Duration limit) throws IOException {
    return start(options, events, limit, ConnectionLimits.ofThisProcess());
  }

  static LoadGenerator start(
      GeneratorOptions options, GeneratorEvents events, Duration limit, ConnectionLimits limits)
      throws IOException {
    String violation = violation(limits, options, options.clients());
    if (violation != null) {
      throw new IOException(violation);
    }
    LoadGenerator generator = new LoadGenerator(options, events, limits);
    generator.limit = limit;
    generator.control.scheduleAtFixedRate(generator::onSecond, 1, 1, TimeUnit.SECONDS);
    generator.resize(options.clients());
    return generator;
  }

  private static String violation(ConnectionLimits limits, GeneratorOptions options, int clients) {
    int addresses = Math.max(1, options.fromAddresses().size());
    return limits.violation(clients, options.first(), addresses);
  }

  private static SslContext tls(GeneratorOptions options) throws IOException {
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

  /** Changes the number of clients and reconnects lost ones. */
  public void resize(int clients) {
    onControl(
        () -> {
          String violation = violation(limits, options, clients);
          if (violation != null) {
            events.error(violation);
            return;
          }
          startRound("ready", clients, (loop, number) -> loop.resize(clients, number));
        });
  }

  /** Disconnects all clients at once and reconnects them. */
  public void reconnect(DisconnectMode mode) {
    onControl(
        () -> {
          int clients = round.clients;
          startRound("reconnected", clients, (loop, number) -> loop.reconnect(mode, number));
        });
  }

  /** Reports an error, such as an unknown command. */
  public void reportError(String message) {
    onControl(() -> events.error(message));
  }

  /** Stops the load generator asynchronously. */
  public void stop() {
    end.complete(null);
  }

  /**
   * Waits for the end.
   *
   * @throws IOException if the load generator failed; the message is one line
   */
  public void awaitEnd() throws IOException, InterruptedException {
    try {
      end.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  private interface LoopTask {
    void run(ClientLoop loop, int round);
  }

  private void startRound(String event, int clients, LoopTask task) {
    int number = ++rounds;
    round = new Round(number, event, clients, loops.size());
    for (int i = 0; i < loops.size(); i++) {
      ClientLoop loop = loops.get(i);
      threads.get(i).execute(() -> task.run(loop, number));
    }
  }

  private void onRoundComplete() {
    events.complete(round.event, round.clients, System.nanoTime() - round.startNanos);
    if (!wasReady) {
      onFirstRound();
    }
    wasReady = true;
  }

  private void onFirstRound() {
    if (publisher != null) {
      publisherThread.execute(publisher::start);
    }
    if (options.measurement() != null) {
      long warmUp = options.measurement().warmUp().toMillis();
      control.schedule(this::openWindow, warmUp, TimeUnit.MILLISECONDS);
    }
    if (limit != null) {
      control.schedule(this::stop, limit.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void openWindow() {
    try {
      record(true);
      window = MeasuredWindow.now(counts(), options.measurement());
    } catch (IOException e) {
      events.error(e.getMessage());
    }
  }

  private void closeWindow() throws IOException {
    MeasuredWindow end = MeasuredWindow.now(counts(), options.measurement());
    record(false);
    List<Histogram> latencies = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      ClientLoop loop = loops.get(i);
      latencies.addAll(await(threads.get(i), loop::latencies));
    }
    events.measured(window, end, latencies, options.measurement().server());
  }

  private void record(boolean on) throws IOException {
    for (int i = 0; i < loops.size(); i++) {
      ClientLoop loop = loops.get(i);
      await(threads.get(i), () -> record(loop, on));
    }
  }

  private static Void record(ClientLoop loop, boolean on) {
    loop.sequences().record(on);
    return null;
  }

  private void onLoopComplete(int number) {
    if (number == round.number && --round.loopsLeft == 0) {
      onRoundComplete();
    }
  }

  private void onError(String message) {
    if (!end.isDone()) {
      events.error(message);
    }
    if (!wasReady) {
      end.completeExceptionally(new IOException(message));
    }
  }

  /** Passes the loops' events to the control thread. */
  private final class LoopListener implements ClientLoop.Listener {
    @Override
    public void onComplete(int number) {
      onControl(() -> onLoopComplete(number));
    }

    @Override
    public void onError(String message) {
      onControl(() -> LoadGenerator.this.onError(message));
    }
  }

  private void onSecond() {
    try {
      events.second(counts());
    } catch (IOException e) {
      events.error(e.getMessage());
    }
  }

  private Counters.Snapshot counts() throws IOException {
    Counters.Snapshot sum = Counters.Snapshot.NONE;
    for (int i = 0; i < loops.size(); i++) {
      ClientLoop loop = loops.get(i);
      sum = sum.plus(await(threads.get(i), () -> loop.counters().counts()));
    }
    return sum;
  }

  private static <T> T await(EventLoop thread, Callable<T> task) throws IOException {
    try {
      return thread.submit(task).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (TimeoutException e) {
      throw new IOException("an event loop did not respond within " + TIMEOUT_SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  private void onControl(Runnable task) {
    try {
      control.execute(task);
    } catch (RejectedExecutionException e) {
      // The load generator is closed.
    }
  }

  /** Reports the totals, disconnects all clients and waits until they are disconnected. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    end.complete(null);
    control.shutdown();
    try {
      control.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      if (window != null) {
        closeWindow();
      }
      events.end(counts());
      if (publisher != null) {
        await(
            publisherThread,
            () -> {
              publisher.close();
              return null;
            });
      }
      for (int i = 0; i < loops.size(); i++) {
        ClientLoop loop = loops.get(i);
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
      group.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }
}
