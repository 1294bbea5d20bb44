package io.sluice.broker;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Artemis broker with its folder and acceptor, for the demo and the tests. {@link #start} and
 * {@link #close} are called by one thread each.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private final BrokerOptions options;
  private Path folder;
  private ActiveMQServer server;

  EmbeddedBroker(BrokerOptions options) {
    this.options = options;
  }

  /**
   * Runs a broker until SIGTERM or, by option, until standard input is closed. Prints one line:
   * {@code BROKER READY <url>}, or {@code BROKER FAILED <reason>} before exit code 1. Input
   * announces that the clients stop: from then on only errors are logged.
   */
  public static void main(String[] arguments) throws Exception {
    BrokerOptions options;
    try {
      options = BrokerOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      exit(2, e.getMessage() + "\n" + BrokerOptions.USAGE);
      return;
    }
    EmbeddedBroker broker = new EmbeddedBroker(options);
    // Before the start, because the parent may terminate while the broker opens its journal.
    if (options.untilStdinCloses()) {
      endWith(System.in);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "broker-stop"));
    try {
      broker.start();
    } catch (Exception e) {
      System.out.println("BROKER FAILED " + reason(e));
      System.exit(1);
    }
    System.out.println("BROKER READY " + broker.url());
    System.out.flush();
    Thread.currentThread().join();
  }

  /** Starts the broker and returns when clients can connect, or when a backup is passive. */
  void start() throws Exception {
    folder = options.data() == null ? Files.createTempDirectory("sluice-broker") : options.data();
    Configuration configuration = new EmbeddedBrokerSettings(options, folder).configuration();
    AtomicReference<Exception> failure = new AtomicReference<>();
    ActiveMQServer starting =
        ActiveMQServers.newActiveMQServer(
            configuration,
            ManagementFactory.getPlatformMBeanServer(),
            new OpenSecurity(options.restricted()),
            options.data() != null);
    synchronized (this) {
      server = starting;
    }
    starting.registerActivationFailureListener(
        e -> {
          failure.set(e);
          if (options.pair() == BrokerOptions.Pair.BACKUP) {
            System.err.println("the backup did not become active: " + reason(e));
          }
        });
    starting.start();
    if (failure.get() != null) {
      throw failure.get();
    }
    if (options.pair() == BrokerOptions.Pair.BACKUP) {
      return;
    }
    if (!starting.isActive() || port() <= 0) {
      throw new IllegalStateException(
          "cannot listen on " + options.host() + ":" + options.port() + "; is the port in use?");
    }
  }

  /** Returns the URL for clients. */
  String url() {
    return "tcp://" + options.host() + ":" + port();
  }

  private int port() {
    if (options.pair() == BrokerOptions.Pair.BACKUP) {
      return options.port(); // it has no acceptor yet
    }
    NettyAcceptor acceptor =
        (NettyAcceptor) server.getRemotingService().getAcceptor(EmbeddedBrokerSettings.ACCEPTOR);
    return acceptor == null || !acceptor.isStarted() ? 0 : acceptor.getActualPort();
  }

  /** Stops the broker; deletes its temporary folder, but not a configured one. */
  @Override
  public synchronized void close() {
    try {
      if (server != null) {
        server.stop();
      }
    } catch (Exception e) {
      System.err.println("the broker did not stop cleanly: " + e);
    }
    if (folder != null && options.data() == null) {
      delete(folder);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println(folder + " could not be deleted: " + e);
    }
  }

  private static void endWith(InputStream input) {
    Thread reader =
        new Thread(
            () -> {
              try {
                while (input.read() >= 0) {
                  logErrorsOnly();
                }
                logErrorsOnly();
              } catch (IOException e) {
                System.err.println("standard input failed: " + e);
              } finally {
                System.exit(0); // also after a failure: the process must not outlive its parent
              }
            },
            "broker-stdin");
    reader.setDaemon(true);
    reader.start();
  }

  // Clients that are interrupted leave sessions half open, each of which causes warnings.
  private static void logErrorsOnly() {
    // It is another factory while the main thread still initializes the logging.
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
    }
  }

  /** Returns one line: the failure's message and that of its deepest cause. */
  private static String reason(Exception failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String text = cause == failure ? message(failure) : message(failure) + ": " + message(cause);
    return text.replaceAll("\\R+", " ");
  }

  private static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  private static void exit(int status, String message) {
    System.err.println(message);
    System.exit(status);
  }
}
