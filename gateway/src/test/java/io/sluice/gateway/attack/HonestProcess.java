package io.sluice.gateway.attack;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** Separate process with honest clients, which reports their observations on request. */
final class HonestProcess implements AutoCloseable {
  private static final long TIMEOUT_MS = 5000;
  private static final String READ = "read";
  private static final String NEWCOMER = "newcomer";

  private final Child child;

  private HonestProcess(Child child) {
    this.child = child;
  }

  /** Starts the clients. Returns when all are subscribed. */
  static HonestProcess start(Target target, int clients, String prefix, int topics) {
    List<String> arguments = new ArrayList<>(target.arguments());
    arguments.addAll(List.of(String.valueOf(clients), prefix, String.valueOf(topics)));
    Child child = Child.java(List.of(), HonestProcess.class, arguments);
    child.await("ready");
    return new HonestProcess(child);
  }

  /** Returns the observations since the last call. */
  Reading read() {
    return Reading.parse(child.ask(READ));
  }

  /** Measures the time in which a new client is subscribed, in ms; negative if it fails. */
  double newcomer() {
    return Double.parseDouble(child.ask(NEWCOMER));
  }

  @Override
  public void close() {
    child.close();
  }

  /** Runs the process: {@code target clients prefix topics}. */
  public static void main(String[] arguments) throws IOException {
    int at = Target.ARGUMENTS;
    Target target = Target.parse(arguments, 0);
    try (HonestClients clients =
            new HonestClients(target, arguments[at + 1], Integer.parseInt(arguments[at + 2]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
      clients.connect(Integer.parseInt(arguments[at]));
      System.out.println("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(
            line.equals(READ) ? clients.read().line() : clients.newcomer(TIMEOUT_MS));
      }
    }
  }
}
