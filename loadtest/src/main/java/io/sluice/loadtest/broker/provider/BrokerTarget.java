package io.sluice.loadtest.broker.provider;

import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.MessageType;
import io.sluice.loadtest.broker.workload.Mode;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.net.URI;
import java.util.Map;
import java.util.regex.Pattern;
import javax.naming.NamingException;

/**
 * Address and credentials of the measured broker. Immutable, for any thread; its text contains no
 * password.
 *
 * @param url of the broker in its client's format; null for a JNDI lookup
 * @param user user name; may be empty
 * @param clientId of the consumers' first connection; further connections append a number; may be
 *     empty
 * @param destinations prefix of the destinations' names
 * @param existing whether names consist only of the prefix and a number from 0; otherwise they also
 *     contain the run
 * @param jndiEnvironment properties of the InitialContext
 * @param jndiName name of the ConnectionFactory
 * @param gateway the gateway whose clients are the consumers, or null for consumers at the broker
 */
public record BrokerTarget(
    JmsProvider provider,
    String url,
    String user,
    String password,
    String clientId,
    String destinations,
    boolean existing,
    Map<String, String> jndiEnvironment,
    String jndiName,
    URI gateway) {
  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");
  private static final Pattern PASSWORD = Pattern.compile("(?i)(passw[^=&;,)]*=)[^&;,)\\s]*");

  /**
   * Creates a target after checking its options.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  public BrokerTarget {
    jndiEnvironment = Map.copyOf(jndiEnvironment);
    if (url == null && provider != JmsProvider.JNDI) {
      throw new IllegalArgumentException(
          "missing --broker: expected the broker's URL, such as tcp://localhost:61616");
    }
    if (gateway != null && !String.valueOf(gateway.getScheme()).matches("wss?")) {
      throw new IllegalArgumentException(
          "--gateway " + gateway + ": expected a URL such as ws://localhost:8080/ws");
    }
  }

  /** Returns a copy for another broker. */
  BrokerTarget at(JmsProvider otherProvider, String otherUrl) {
    return with(otherProvider, otherUrl, gateway);
  }

  /** Returns a copy with all consumers at the broker. */
  public BrokerTarget direct() {
    return with(provider, url, null);
  }

  private BrokerTarget with(JmsProvider otherProvider, String otherUrl, URI otherGateway) {
    return new BrokerTarget(
        otherProvider,
        otherUrl,
        user,
        password,
        clientId,
        destinations,
        existing,
        jndiEnvironment,
        jndiName,
        otherGateway);
  }

  /**
   * Checks that a workload is possible with this target.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  public void check(BrokerWorkload workload) {
    if (workload.durable() && clientId.isEmpty()) {
      throw new IllegalArgumentException(
          "--durable requires a client id, by which the broker identifies the subscriber; expected"
              + " --client-id NAME");
    }
    if (gateway == null) {
      return;
    }
    boolean supported = workload.type() != MessageType.MAP && workload.type() != MessageType.OBJECT;
    if (workload.mode() != Mode.TOPIC || !supported) {
      throw new IllegalArgumentException(
          "--gateway supports only text, bytes and price messages of topics; expected --mode topic"
              + " and --type text, bytes or price");
    }
    if (workload.files().recording() != null) {
      throw new IllegalArgumentException(
          "--gateway does not support --record; expected one of them");
    }
    if (workload.durable() || workload.transacted() || !workload.selector().isEmpty()) {
      throw new IllegalArgumentException(
          "--gateway supports neither durable subscriptions nor transactions nor"
              + " selectors; expected none of them");
    }
  }

  /** Returns a new connection, not started. The caller closes it. */
  public Connection connect(boolean transacted, String id) throws JMSException, NamingException {
    ConnectionFactory factory = provider.factory(this, transacted);
    Connection connection =
        user.isEmpty() ? factory.createConnection() : factory.createConnection(user, password);
    try {
      if (!id.isEmpty()) {
        connection.setClientID(id);
      }
      return connection;
    } catch (JMSException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Returns a destination's name in a run. */
  public String name(int run, int destination) {
    return existing
        ? destinations + destination
        : destinations + "." + Integer.toHexString(run) + "." + destination;
  }

  public static Destination destination(Session session, Mode mode, String name)
      throws JMSException {
    return mode == Mode.QUEUE ? session.createQueue(name) : session.createTopic(name);
  }

  /** Returns the URL without secrets, for files. */
  public String maskedUrl() {
    return masked(String.valueOf(url));
  }

  /** Returns a text that may contain a URL, without credentials. */
  public static String masked(String text) {
    String withoutUser = USER_INFO.matcher(text).replaceAll("//***@");
    return PASSWORD.matcher(withoutUser).replaceAll("$1***");
  }

  @Override
  public String toString() {
    return provider + " " + maskedUrl();
  }
}
