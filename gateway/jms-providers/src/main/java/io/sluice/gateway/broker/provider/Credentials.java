package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.SettingFile;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.io.IOException;

/** Identity of the node at the broker. Immutable, for any thread; never printed. */
public final class Credentials {
  private final String user;
  private final String userFile;
  private final String password;
  private final String passwordFile;
  private final String clientId;

  /**
   * Creates the credentials of a node. Each value may be empty.
   *
   * @param userFile file with the user name, instead of {@code user}
   * @param passwordFile file with the password, instead of {@code password}
   * @param clientId client ID of the first connection
   */
  Credentials(String user, String userFile, String password, String passwordFile, String clientId) {
    this.user = user;
    this.userFile = userFile;
    this.password = password;
    this.passwordFile = passwordFile;
    this.clientId = clientId;
  }

  /** Opens a connection that runs {@code onLost} when it fails. */
  Connection connect(ConnectionFactory factory, int index, Runnable onLost) throws JMSException {
    Connection connection = connect(factory);
    try {
      if (!clientId.isEmpty() && index != Provider.TRANSACTIONS) { // of which there are several
        connection.setClientID(clientId(index));
      }
      connection.setExceptionListener(failure -> onLost.run());
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
    if (index == Provider.DELAYS) {
      return clientId + "-delays";
    }
    if (index == Provider.REPLIES) {
      return clientId + "-replies";
    }
    if (index == Provider.QUEUES) {
      return clientId + "-queues";
    }
    return index == 0 ? clientId : clientId + "-" + index;
  }

  private Connection connect(ConnectionFactory factory) throws JMSException {
    String name = value(user, BrokerSettings.USER_FILE, userFile);
    return name.isEmpty()
        ? factory.createConnection()
        : factory.createConnection(
            name, value(password, BrokerSettings.PASSWORD_FILE, passwordFile));
  }

  // A file is read at each connect, because it may change while the node runs.
  private static String value(String value, Setting<String> setting, String file)
      throws JMSException {
    try {
      return file.isEmpty() ? value : new SettingFile(setting, file).read();
    } catch (IOException e) {
      throw (JMSException) new JMSException(e.getMessage()).initCause(e);
    }
  }

  /** Returns the same identity without a client ID. */
  Credentials withoutClientId() {
    return new Credentials(user, userFile, password, passwordFile, "");
  }

  /** Returns the client ID of the first connection; empty if it has none. */
  String clientId() {
    return clientId;
  }
}
