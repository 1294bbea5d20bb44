package io.sluice.testkit;

import java.io.File;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.TransportConnector;

/**
 * ActiveMQ Classic as a process: HOST PORT [--data FOLDER]; without a folder it keeps nothing. It
 * ends with its standard input.
 */
final class ClassicServer {
  private ClassicServer() {}

  public static void main(String[] arguments) throws Exception {
    BrokerService service = new BrokerService();
    service.setPersistent(arguments.length > 2);
    if (service.isPersistent()) {
      service.setDataDirectoryFile(new File(arguments[3]));
    }
    service.setUseJmx(false);
    TransportConnector connector =
        service.addConnector("tcp://%s:%s".formatted(arguments[0], arguments[1]));
    service.start();
    service.waitUntilStarted();
    System.out.println("BROKER READY tcp://x:" + connector.getConnectUri().getPort());
    while (System.in.read() >= 0) {
      // nothing is asked of it
    }
    service.stop();
  }
}
