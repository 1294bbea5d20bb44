package io.sluice.loadtest.broker.provider;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.TransportConnector;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/**
 * ActiveMQ Classic in a separate JVM, with its store in the folder given as the only argument. It
 * prints its URL and stops at the end of its standard input. Run by the main thread.
 */
public final class ClassicBroker {
  /** System property with the preallocation strategy. */
  static final String STRATEGY = "preallocationStrategy";

  /** System property with the preallocation scope. */
  static final String SCOPE = "preallocationScope";

  /** System property with the journal's sync strategy. */
  static final String SYNC = "journalDiskSyncStrategy";

  private ClassicBroker() {}

  /** Runs the broker. */
  public static void main(String[] arguments) throws Exception {
    BrokerService broker = broker(Path.of(arguments[0]));
    TransportConnector connector = broker.addConnector("tcp://127.0.0.1:0");
    broker.start();
    broker.waitUntilStarted();
    System.out.println(
        ChildBroker.READY + "tcp://127.0.0.1:" + connector.getConnectUri().getPort());
    System.out.flush();
    awaitEnd();
    broker.stop();
    System.exit(0);
  }

  private static BrokerService broker(Path folder) throws IOException {
    KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
    store.setDirectory(folder.toFile());
    store.setPreallocationStrategy(System.getProperty(STRATEGY, "SPARSE_FILE"));
    store.setPreallocationScope(System.getProperty(SCOPE, "ENTIRE_JOURNAL"));
    store.setJournalDiskSyncStrategy(System.getProperty(SYNC, "ALWAYS"));
    BrokerService broker = new BrokerService();
    broker.setBrokerName("bench");
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setDataDirectoryFile(folder.toFile());
    broker.setPersistenceAdapter(store);
    return broker;
  }

  private static void awaitEnd() throws IOException {
    while (System.in.read() >= 0) {
      // Input is ignored.
    }
  }
}
