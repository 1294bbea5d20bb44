import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/**
 * Artemis in memory with acceptors of its own protocols, for comparisons: PORT for JMS, PORT + 1 for
 * STOMP and MQTT over WebSocket.
 */
final class Acceptors {
  private Acceptors() {}

  /** Runs a broker until it is killed. */
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    Path folder = Files.createTempDirectory("artemis");
    Configuration configuration =
        new ConfigurationImpl()
            .setPersistenceEnabled(false)
            .setSecurityEnabled(false)
            .setJournalDirectory(folder.toString())
            .setBindingsDirectory(folder.toString())
            .setLargeMessagesDirectory(folder.toString())
            .setPagingDirectory(folder.toString())
            .addAddressSetting("#", new AddressSettings().setAutoDeleteAddresses(false));
    configuration.addAcceptorConfiguration("jms", "tcp://127.0.0.1:" + port + "?protocols=CORE");
    configuration.addAcceptorConfiguration(
        "web",
        "tcp://127.0.0.1:" + (port + 1) + "?protocols=STOMP,MQTT;multicastPrefix=/topic/");
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(configuration);
    broker.start();
    System.out.println("ARTEMIS READY");
  }
}
