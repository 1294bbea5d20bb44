package io.sluice.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Node in a separate JVM, which tests kill and freeze. */
final class Child implements AutoCloseable {
  private final Process process;

  private Child(Process process) {
    this.process = process;
  }

  static Child start(Nodes nodes, int index, String name) throws IOException {
    String seeds = String.join(",", nodes.addresses());
    return start("-Dnone", Nodes.HOST, nodes.port(index), seeds, name, "node-" + index);
  }

  /**
   * Starts a node that discovers others by a DNS name.
   *
   * @param hosts file for resolving names
   * @param host address of the node
   */
  static Child startByName(Path hosts, String host, int port, String dns, String name, String id)
      throws IOException {
    return start("-Djdk.net.hosts.file=" + hosts, host, port, dns, name, id);
  }

  private static Child start(
      String option, String host, int port, String seeds, String name, String id)
      throws IOException {
    String java =
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    ProcessBuilder builder =
        new ProcessBuilder(
            java,
            "-XX:TieredStopAtLevel=1",
            option,
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            name,
            host,
            String.valueOf(port),
            seeds,
            id);
    return new Child(builder.inheritIO().redirectInput(ProcessBuilder.Redirect.PIPE).start());
  }

  /** Ends with its standard input, so that no process remains after the test. */
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[2]);
    Seeds seeds =
        args[3].contains(":")
            ? new Seeds.Listed(List.of(args[3].split(",")))
            : new Seeds.Dns(args[3], port);
    ClusterConfig config = Nodes.config(args[0], args[1], port, seeds, Nodes.OPEN);
    JGroupsCluster cluster =
        JGroupsCluster.start(config, Nodes.QUICK, Nodes.node(args[4]), () -> List.of());
    cluster.announce(NodeState.UP);
    while (System.in.read() >= 0) {
      // input is discarded
    }
    Runtime.getRuntime().halt(0);
  }

  void kill() {
    process.destroyForcibly();
  }

  void freeze() throws Exception {
    signal("STOP");
  }

  void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    String[] command = {"kill", "-" + name, String.valueOf(process.pid())};
    Process kill = new ProcessBuilder(command).inheritIO().start();
    if (!kill.waitFor(60, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("kill -" + name + " failed");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
