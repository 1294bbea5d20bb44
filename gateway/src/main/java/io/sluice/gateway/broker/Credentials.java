package io.sluice.gateway.broker;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.regex.Pattern;

/** Who the node is at the broker. Immutable; never printed. */
final class Credentials {
  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");
  private static final Pattern PASSWORD = Pattern.compile("(?i)(passw[^=&;,)]*=)[^&;,)\\s]*");

  private final String user;
  private final String password;
  private final String clientId;

  Credentials(Config config) {
    this.user = config.get(Settings.BROKER_USER);
    this.password = config.get(Settings.BROKER_PASSWORD);
    this.clientId = config.get(Settings.BROKER_CLIENT_ID);
  }

  /** Opens a connection that calls {@code onLost} when it breaks. */
  Connection connect(ConnectionFactory factory, int index, Runnable onLost) throws JMSException {
    Connection connection =
        user.isEmpty() ? factory.createConnection() : factory.createConnection(user, password);
    try {
      if (!clientId.isEmpty()) {
        connection.setClientID(index == 0 ? clientId : clientId + "-" + index);
      }
      connection.setExceptionListener(broken -> onLost.run());
      return connection;
    } catch (JMSException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** The client ID of the first connection; empty if it has none. */
  String clientId() {
    return clientId;
  }

  /** A URL, or a text that may hold one, as it may stand in a log. */
  static String masked(String text) {
    String withoutUser = USER_INFO.matcher(String.valueOf(text)).replaceAll("//***@");
    return PASSWORD.matcher(withoutUser).replaceAll("$1***");
  }
}
