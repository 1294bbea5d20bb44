package io.sluice.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Runs of the script that builds the image. Any thread may call it. */
final class BuildScript {
  private static final String SCRIPT = "src/main/scripts/build-image.sh";

  private BuildScript() {}

  /** Exit code, and standard output and error. */
  record Result(int code, String output) {}

  /** Runs the script with the Java of this process. */
  static Result run(String... arguments) throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 1];
    command[0] = SCRIPT;
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output.strip());
  }
}
