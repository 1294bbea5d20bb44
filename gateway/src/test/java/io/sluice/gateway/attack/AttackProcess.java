package io.sluice.gateway.attack;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Separate process with the attackers of one attack. */
final class AttackProcess implements AutoCloseable {
  /**
   * Keeps the attackers from using the processors of the attacked node; real attackers have their
   * own. A low priority does not suffice: a thread that just started runs for some milliseconds.
   */
  private static final List<String> IDLE = List.of("chrt", "--idle", "0");

  private static final String OUTCOMES = "outcomes";

  private final Child child;

  private AttackProcess(Child child) {
    this.child = child;
  }

  /**
   * Starts an attack in its full size.
   *
   * @param unpaced as fast as the node lets it
   */
  static AttackProcess start(Attack attack, boolean unpaced, Target target, Tokens tokens) {
    List<String> arguments = new ArrayList<>(target.arguments());
    arguments.addAll(List.of(attack.name(), String.valueOf(unpaced), tokens.argument()));
    Child child = Child.java(IDLE, AttackProcess.class, arguments);
    child.await("ready");
    return new AttackProcess(child);
  }

  /** Returns the current number of connections. */
  int open() {
    return Integer.parseInt(child.ask("open"));
  }

  /** Returns the number of ended connections by outcome. */
  String outcomes() {
    return child.ask(OUTCOMES);
  }

  @Override
  public void close() {
    child.close();
  }

  /** Runs the process: {@code target attack unpaced tokens}. */
  public static void main(String[] arguments) throws IOException {
    int at = Target.ARGUMENTS;
    Attack attack = Attack.valueOf(arguments[at]);
    boolean unpaced = Boolean.parseBoolean(arguments[at + 1]);
    Script script = attack.script(Tokens.parse(arguments[at + 2]));
    Attack.Load load = attack.full();
    try (Attackers attackers =
            new Attackers(
                Target.parse(arguments, 0),
                unpaced ? script.unpaced() : script,
                load.connections(),
                unpaced ? 0 : load.opensPerSecond());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
      attackers.start();
      System.out.println("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(
            line.equals(OUTCOMES) ? text(new TreeMap<>(attackers.outcomes())) : attackers.open());
      }
    }
  }

  private static String text(TreeMap<String, Long> outcomes) {
    List<String> all = new ArrayList<>();
    outcomes.forEach((outcome, count) -> all.add(count + " × " + outcome));
    return String.join(", ", all);
  }
}
