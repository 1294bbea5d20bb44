package io.sluice.gateway.broker.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.Consumer;
import io.nats.client.Dispatcher;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Options.HostnameResolveMode;
import io.nats.client.Subscription;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.sluice.gateway.broker.SourceState;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a server. It does not reconnect: another one replaces it. Any thread.
 *
 * <p>Messages of streams and those of core subjects arrive on two threads: only the latter are lost
 * when a thread cannot keep up.
 */
final class NatsLink implements ConnectionListener, ErrorListener {
  /** Time limit of a connect and of a request. */
  static final long TIMEOUT_MS = 5_000;

  private static final Logger log = LoggerFactory.getLogger(NatsLink.class);
  private static final int PINGS_OUT = 2;

  /** Length of the queue of outgoing messages, above all limits of publishes and requests. */
  private static final int OUTGOING = 1 << 17;

  private static final int MAX_DENIED = 1_000;

  /** Error of the server, such as: Permissions Violation for Publish to "orders.eu". */
  private static final Pattern DENIED =
      Pattern.compile("(?i)'?permissions violation for (publish|subscription) to \"([^\"]+)\".*");

  /** Receiver of the events of a connection. Any thread; never blocks. */
  interface Events {
    /** The connection is lost. May be called repeatedly. */
    void onLost(NatsLink link);

    /** The server denies the node a subject. */
    void onDenied(boolean publish, String subject);

    /** Messages of core subjects have been dropped. */
    void onDropped();
  }

  private final NatsThreads threads;
  private final Events events;
  private final Set<String> denied = ConcurrentHashMap.newKeySet();
  private final Connection connection;
  private final JetStreamManagement management;
  private final StreamDirectory streams;
  private final Dispatcher stored;
  private final Dispatcher core;
  private volatile boolean established;

  /** The latest exception of the client, or null. */
  private volatile Exception latest;

  private volatile boolean lost;

  /** Connects. Blocks. */
  NatsLink(NatsOptions options, NatsThreads threads, Events events)
      throws IOException, GeneralSecurityException, InterruptedException {
    this.threads = threads;
    this.events = events;
    this.connection = connect(clientOptions(options), options.credentials());
    this.management =
        connection.jetStreamManagement(
            JetStreamOptions.builder().requestTimeout(Duration.ofMillis(TIMEOUT_MS)).build());
    this.streams = new StreamDirectory(connection, management, TIMEOUT_MS);
    this.stored = connection.createDispatcher();
    this.core = connection.createDispatcher();
    this.established = true;
  }

  // The client's own exception only names the servers.
  private Connection connect(Options options, NatsOptions.Credentials credentials)
      throws IOException, InterruptedException {
    try {
      return Nats.connect(options);
    } catch (IOException e) {
      Throwable known = latest;
      if (known == null) {
        throw e;
      }
      Throwable cause = SourceState.rootCause(known);
      String why = cause.getMessage() == null ? "" : ": " + cause.getMessage();
      IOException explained =
          new IOException(e.getMessage() + why + hint(e.getMessage() + why, credentials));
      explained.addSuppressed(e); // not a cause: the deepest one is reported
      throw explained;
    }
  }

  private static String hint(String failure, NatsOptions.Credentials credentials) {
    if (failure.contains("Authorization Violation")) {
      return " (the server " + credentials.refusal() + ")";
    }
    return failure.contains("certification path")
        ? " (nats.trust does not have the authority of the server's certificate)"
        : "";
  }

  private Options clientOptions(NatsOptions options) throws IOException, GeneralSecurityException {
    Options.Builder client =
        new Options.Builder()
            .servers(options.servers().toArray(String[]::new))
            .connectionName("sluice")
            .noReconnect()
            .hostnameResolveMode(HostnameResolveMode.HappyEyeballs) // TLS verifies the name
            .connectionTimeout(TIMEOUT_MS)
            .pingInterval(Duration.ofMillis(options.pingMs()))
            .maxPingsOut(PINGS_OUT)
            .reportNoResponders()
            .dontForceFlushOnRequest()
            .maxMessagesInOutgoingQueue(OUTGOING)
            .executor(threads.client())
            .scheduledExecutor(threads.timer())
            .connectThreadFactory(threads)
            .callbackExecutor(ImmediateEventExecutor.INSTANCE) // before a ping is answered
            .connectionListener(this)
            .errorListener(this);
    if (options.servers().stream().anyMatch(url -> url.startsWith("tls:"))) {
      client.sslContext(NatsTls.context(options.trust()));
    }
    identify(client, options.credentials());
    return client.build();
  }

  private static void identify(Options.Builder client, NatsOptions.Credentials credentials) {
    if (!credentials.file().isEmpty()) {
      client.authHandler(Nats.credentials(credentials.file()));
    } else if (!credentials.token().isEmpty()) {
      client.token(credentials.token().toCharArray());
    } else if (!credentials.user().isEmpty()) {
      client.userInfo(credentials.user(), credentials.password());
    }
  }

  Connection connection() {
    return connection;
  }

  JetStreamManagement management() {
    return management;
  }

  StreamDirectory streams() {
    return streams;
  }

  /** Returns the dispatcher of the messages of streams. */
  Dispatcher stored() {
    return stored;
  }

  /** Returns the dispatcher of the messages of core subjects. */
  Dispatcher core() {
    return core;
  }

  boolean isLost() {
    return lost;
  }

  /** Returns whether the server has denied the node a subject. */
  boolean denies(String subject) {
    return denied.contains(subject);
  }

  /** Returns whether the server has denied the node a subject with a prefix. */
  boolean deniesBelow(String prefix) {
    return denied.stream().anyMatch(subject -> subject.startsWith(prefix));
  }

  /** Runs a task that may block. */
  void work(Runnable task) {
    threads.work(task);
  }

  /** Runs a task later. It must not block. */
  void later(Runnable task, long delayMs) {
    threads.later(task, delayMs);
  }

  void onControl(Runnable task) {
    threads.onControl(task);
  }

  /**
   * Sends a request without waiting for its answers; does nothing if the connection is lost.
   *
   * @param inbox subject of the answers, or null
   */
  void send(String subject, String inbox, byte[] request) {
    try {
      connection.publish(subject, inbox, request);
    } catch (IllegalStateException e) {
      log.atDebug().setCause(e).log("the connection is closed");
    }
  }

  void unsubscribe(Dispatcher dispatcher, Subscription subscription) {
    try {
      if (subscription != null) {
        dispatcher.unsubscribe(subscription);
      }
    } catch (IllegalStateException e) {
      log.atDebug().setCause(e).log("the connection is closed");
    }
  }

  /** Closes the connection. Blocks. */
  void close() {
    lost = true;
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  @Deprecated
  public void connectionEvent(Connection changed, ConnectionListener.Events type) {
    if (type == ConnectionListener.Events.DISCONNECTED
        || type == ConnectionListener.Events.CLOSED) {
      lost = true;
      if (established) { // otherwise the constructor fails
        events.onLost(this);
      }
    }
  }

  @Override
  public void errorOccurred(Connection failed, String error) {
    Matcher parts = DENIED.matcher(error);
    if (parts.matches()) {
      if (denied.size() < MAX_DENIED) {
        denied.add(parts.group(2));
      }
      events.onDenied("publish".equalsIgnoreCase(parts.group(1)), parts.group(2));
    }
    log.atDebug().addKeyValue("error", error).log("error of the server");
  }

  @Override
  public void exceptionOccurred(Connection failed, Exception cause) {
    latest = cause;
    log.atDebug().setCause(cause).log("exception of the NATS client");
  }

  // A stream is read again from the message that was dropped.
  @Override
  public void slowConsumerDetected(Connection slow, Consumer consumer) {
    if (consumer == core) {
      events.onDropped();
    }
  }
}
