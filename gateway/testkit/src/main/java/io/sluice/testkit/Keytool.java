package io.sluice.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the JDK's keytool on a PKCS#12 key store. Stateless. */
public final class Keytool {
  /**
   * Options of a JVM that runs for less than a second, and few iterations of password hashing; they
   * save more than half of its CPU time.
   */
  private static final List<String> JVM =
      List.of(
          "-J-XX:TieredStopAtLevel=1",
          "-J-XX:+UseSerialGC",
          "-J-Dkeystore.pkcs12.certPbeIterationCount=1",
          "-J-Dkeystore.pkcs12.keyPbeIterationCount=1",
          "-J-Dkeystore.pkcs12.macIterationCount=1");

  private Keytool() {}

  /**
   * Runs one command of keytool and waits for its end.
   *
   * @param store the key store, created if it does not exist
   * @param arguments the command and its options, such as {@code -genkeypair}
   */
  public static void run(Path store, String password, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(JVM);
    command.addAll(arguments);
    command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString()));
    command.addAll(List.of("-storepass", password));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes());
      int status = process.onExit().join().exitValue();
      if (status != 0) {
        throw new AssertionError(
            "keytool %s ended with %d: %s".formatted(arguments, status, output));
      }
    } catch (IOException e) {
      throw new AssertionError("keytool %s: %s".formatted(arguments, e.getMessage()), e);
    }
  }
}
