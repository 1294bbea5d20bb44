package io.sluice.testkit;

import java.io.File;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.TransportConnector;

/**
 * Main class of an ActiveMQ Classic process: HOST PORT [--data FOLDER]. Without a folder there is
 * no persistence. The process ends when its standard input is closed.
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
      // only the end of the input matters
    }
    service.stop();
  }
}
