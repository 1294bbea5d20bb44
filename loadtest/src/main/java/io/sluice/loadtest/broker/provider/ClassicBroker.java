package io.sluice.loadtest.broker.provider;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.TransportConnector;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/**
 * ActiveMQ Classic in a JVM of its own, with its store in the folder that is its only argument. It
 * says where it listens, and ends with its standard input.
 */
public final class ClassicBroker {
  /** The system property with the way to preallocate. */
  static final String STRATEGY = "preallocationStrategy";

  /** The system property with what is preallocated. */
  static final String SCOPE = "preallocationScope";

  /** The system property that says when the journal is synced. */
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
      // Only the end of the stream matters.
    }
  }
}
