package io.sluice.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the JDK's keytool on a PKCS#12 key store. If the options of this JVM export keytool's
 * package, it runs here, because the start of a process takes longer than the command. For any
 * thread.
 */
public final class Keytool {
  private static final String PACKAGE = "sun.security.tools.keytool";

  /** Few iterations of password hashing, which save more than half of the CPU time. */
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "keystore.pkcs12.certPbeIterationCount", "1",
          "keystore.pkcs12.keyPbeIterationCount", "1",
          "keystore.pkcs12.macIterationCount", "1");

  private Keytool() {}

  /**
   * Runs one command of keytool and waits for its end.
   *
   * @param store the key store, created if it does not exist
   * @param arguments the command and its options, such as {@code -genkeypair}
   */
  public static void run(Path store, String password, List<String> arguments) {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString()));
    all.addAll(List.of("-storepass", password));
    try {
      if (Object.class.getModule().isExported(PACKAGE, Keytool.class.getModule())) {
        call(all);
      } else {
        start(all);
      }
    } catch (IOException | ReflectiveOperationException e) {
      throw new AssertionError("keytool %s: %s".formatted(arguments, e), e);
    }
  }

  private static synchronized void call(List<String> arguments)
      throws ReflectiveOperationException {
    PROPERTIES.forEach(System::setProperty);
    List<String> all = new ArrayList<>(arguments);
    all.add("-debug"); // throws an exception instead of ending the JVM
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream captured = new PrintStream(output);
    System.setOut(captured);
    System.setErr(captured);
    try {
      Class.forName(PACKAGE + ".Main")
          .getMethod("main", String[].class)
          .invoke(null, (Object) all.toArray(String[]::new));
    } catch (InvocationTargetException e) {
      throw new AssertionError("keytool %s: %s".formatted(arguments, output), e.getCause());
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static void start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    PROPERTIES.forEach((name, value) -> command.add("-J-D" + name + "=" + value));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    int status = process.onExit().join().exitValue();
    if (status != 0) {
      throw new AssertionError("keytool %s ended with %d: %s".formatted(arguments, status, output));
    }
  }
}
