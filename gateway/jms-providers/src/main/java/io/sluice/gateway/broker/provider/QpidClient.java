package io.sluice.gateway.broker.provider;

import jakarta.jms.ConnectionFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Qpid JMS, the client of provider amqp. Its libraries, of which the node has other versions, are
 * in a folder of the installation. Stateless, for any thread.
 */
final class QpidClient {
  /** Class of its ConnectionFactory. */
  static final String FACTORY = "org.apache.qpid.jms.JmsConnectionFactory";

  /** System property with the folder. */
  private static final String FOLDER = "sluice.amqp-client";

  /** By default, the client waits for ever. */
  private static final List<String> DEFAULTS =
      List.of("jms.sendTimeout=30000", "jms.requestTimeout=30000");

  /** Prefetch of all consumers of the connection {@link Provider#QUEUES}. */
  private static final List<String> PREFETCHES =
      List.of("setQueuePrefetch", "setTopicPrefetch", "setDurableTopicPrefetch");

  private QpidClient() {}

  /** Returns the folder of the libraries; empty if they are not installed. */
  static String folder() {
    String folder = System.getProperty(FOLDER, "");
    return folder.isEmpty() || !Files.isDirectory(Path.of(folder)) ? "" : folder;
  }

  /**
   * Returns the properties of the ConnectionFactory.
   *
   * @param url URL of the broker; null if it is not set
   */
  static Map<String, String> properties(String url) {
    if (url == null) {
      return Map.of();
    }
    StringBuilder complete = new StringBuilder(url);
    String given = url.toLowerCase(Locale.ROOT);
    for (String option : DEFAULTS) {
      String name = option.substring(0, option.indexOf('=') + 1);
      if (!given.contains(name.toLowerCase(Locale.ROOT))) {
        complete.append(complete.indexOf("?") < 0 ? '?' : '&').append(option);
      }
    }
    return Map.of("remoteURI", complete.toString());
  }

  /** Disables the prefetch of consumers, where the factory is this client's. */
  static void withoutPrefetch(ConnectionFactory factory) throws ReflectiveOperationException {
    if (factory.getClass().getName().equals(FACTORY)) {
      Object policy = factory.getClass().getMethod("getPrefetchPolicy").invoke(factory);
      for (String prefetch : PREFETCHES) {
        Method setter = policy.getClass().getMethod(prefetch, int.class);
        setter.invoke(policy, 0);
      }
    }
  }
}
