package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.SettingFile;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.io.IOException;

/** Who the node is at the broker. Immutable; never printed. */
public final class Credentials {
  private final Config config;
  private final String clientId;

  Credentials(Config config) {
    this.config = config;
    this.clientId = config.get(BrokerSettings.CLIENT_ID);
  }

  /** Opens a connection that calls {@code onLost} when it breaks. */
  Connection connect(ConnectionFactory factory, int index, Runnable onLost) throws JMSException {
    Connection connection = connect(factory);
    try {
      if (!clientId.isEmpty()) {
        connection.setClientID(clientId(index));
      }
      connection.setExceptionListener(broken -> onLost.run());
      return connection;
    } catch (Throwable e) {
      connection.close();
      throw e;
    }
  }

  private String clientId(int index) {
    if (index == Provider.PUBLISHING) {
      return clientId + "-publishing";
    }
    return index == 0 ? clientId : clientId + "-" + index;
  }

  private Connection connect(ConnectionFactory factory) throws JMSException {
    String user = value(BrokerSettings.USER, BrokerSettings.USER_FILE);
    return user.isEmpty()
        ? factory.createConnection()
        : factory.createConnection(
            user, value(BrokerSettings.PASSWORD, BrokerSettings.PASSWORD_FILE));
  }

  /** What stands in the file now, so that it can be changed while the node runs. */
  private String value(Setting<String> setting, Setting<String> file) throws JMSException {
    String name = config.get(file);
    try {
      return name.isEmpty() ? config.get(setting) : new SettingFile(file, name).read();
    } catch (IOException e) {
      throw (JMSException) new JMSException(e.getMessage()).initCause(e);
    }
  }

  /** The client ID of the first connection; empty if it has none. */
  String clientId() {
    return clientId;
  }

  /** A URL, or a text that may hold one, as it may stand in a log. */
  public static String masked(String text) {
    return ServiceUrl.masked(text);
  }
}
