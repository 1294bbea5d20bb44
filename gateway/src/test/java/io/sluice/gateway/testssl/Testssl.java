package io.sluice.gateway.testssl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Installed program testssl.sh. Bound to one thread. */
final class Testssl {
  private static final long TIMEOUT_MINUTES = 20;
  private static final Pattern VERSION = Pattern.compile("testssl(?:\\.sh)? +([0-9]\\S*) from ");
  private static final List<String> NAMES = List.of("testssl", "testssl.sh");

  private final String program;
  private final String version;

  private Testssl(String program, String version) {
    this.program = program;
    this.version = version;
  }

  /**
   * Finds one that runs.
   *
   * @param named its path; where that is empty, it is on the {@code PATH}
   */
  static Optional<Testssl> find(String named) throws IOException, InterruptedException {
    for (String name : named.isEmpty() ? NAMES : List.of(named)) {
      Optional<String> version = version(name);
      if (version.isPresent()) {
        return Optional.of(new Testssl(name, version.get()));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> version(String program) throws IOException, InterruptedException {
    Path said = Files.createTempFile("testssl", ".txt");
    try {
      run(List.of(program, "--version"), said);
      Matcher found = VERSION.matcher(Files.readString(said));
      return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    } catch (IOException notThere) {
      return Optional.empty();
    } finally {
      Files.delete(said);
    }
  }

  /** Returns its version. */
  String version() {
    return version;
  }

  /**
   * Checks one port of this machine.
   *
   * @param name what it is, for people
   * @param authority additional trust anchor
   * @param folder for its files
   */
  TestsslResult judge(String name, int port, Path authority, Path folder)
      throws IOException, InterruptedException {
    Path json = folder.resolve(port + ".json");
    Path output = folder.resolve(port + ".txt");
    List<String> command = new ArrayList<>(List.of(program, "--quiet", "--color", "0"));
    command.addAll(List.of("--warnings", "off", "--phone-out"));
    command.addAll(List.of("--add-ca", authority.toString(), "--jsonfile", json.toString()));
    command.addAll(List.of("--ip", "127.0.0.1", "https://localhost:" + port + "/"));
    Files.deleteIfExists(json); // it would not write over it
    run(command, output);
    return new TestsslResult(name, Finding.read(json), Files.readString(output));
  }

  private static void run(List<String> command, Path output)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new IOException(command + " does not end; it has said so far: " + output);
    }
  }
}
