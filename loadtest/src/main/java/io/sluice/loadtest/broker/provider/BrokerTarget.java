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
 * Address and credentials of the measured broker. Immutable; its text has no password.
 *
 * @param url of the broker, as its client takes it; null for a JNDI lookup
 * @param user empty: none
 * @param clientId of the consumers' first connection, others have a number behind it; empty: none
 * @param destinations what their names begin with
 * @param existing whether the names are that and a number from 0 alone; otherwise each run has its
 *     own
 * @param jndiEnvironment of the InitialContext
 * @param jndiName of the ConnectionFactory
 * @param gateway the consumers are its clients; null: they are the broker's
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
   * Checks what belongs together.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
   */
  public BrokerTarget {
    jndiEnvironment = Map.copyOf(jndiEnvironment);
    if (url == null && provider != JmsProvider.JNDI) {
      throw new IllegalArgumentException(
          "--broker is missing: expected the broker's URL, such as tcp://localhost:61616");
    }
    if (gateway != null && !String.valueOf(gateway.getScheme()).matches("wss?")) {
      throw new IllegalArgumentException(
          "--gateway " + gateway + ": expected an address like ws://localhost:8080/ws");
    }
  }

  /** The same, for another broker. */
  BrokerTarget at(JmsProvider otherProvider, String otherUrl) {
    return with(otherProvider, otherUrl, gateway);
  }

  /** The same, with all consumers at the broker. */
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
   * Checks that a workload can be run here.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
   */
  public void check(BrokerWorkload workload) {
    if (workload.durable() && clientId.isEmpty()) {
      throw new IllegalArgumentException(
          "--durable needs a client id, by which the broker knows the subscriber again; expected"
              + " --client-id NAME");
    }
    if (gateway == null) {
      return;
    }
    if (workload.mode() != Mode.TOPIC || workload.type() == MessageType.MAP) {
      throw new IllegalArgumentException(
          "--gateway takes texts and bytes from topics; expected --mode topic and --type text or"
              + " bytes");
    }
    if (workload.durable() || workload.transacted() || !workload.selector().isEmpty()) {
      throw new IllegalArgumentException(
          "--gateway: its clients have neither durable subscriptions nor transactions nor"
              + " selectors; expected none of them");
    }
  }

  /** A connection of its own, not started. The caller closes it. */
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

  /** A destination's name in a run. */
  public String name(int run, int destination) {
    return existing
        ? destinations + destination
        : destinations + "." + Integer.toHexString(run) + "." + destination;
  }

  public static Destination destination(Session session, Mode mode, String name)
      throws JMSException {
    return mode == Mode.QUEUE ? session.createQueue(name) : session.createTopic(name);
  }

  /** The URL as it may stand in a file. */
  public String maskedUrl() {
    return masked(String.valueOf(url));
  }

  /** A text that may hold a URL, without what nobody else should read. */
  public static String masked(String text) {
    String withoutUser = USER_INFO.matcher(text).replaceAll("//***@");
    return PASSWORD.matcher(withoutUser).replaceAll("$1***");
  }

  @Override
  public String toString() {
    return provider + " " + maskedUrl();
  }
}
