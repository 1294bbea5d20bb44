package io.sluice.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** deploy/compose.yaml, as compose reads it, without merges. Immutable. */
record ComposeFile(Object tree) {
  static final Path FOLDER = Path.of("deploy");

  static ComposeFile read() throws IOException {
    String text = Files.readString(FOLDER.resolve("compose.yaml"));
    return new ComposeFile(new Load(LoadSettings.builder().build()).loadFromString(text));
  }

  String text(String... path) {
    return (String) at(path);
  }

  List<String> texts(String... path) {
    return ((List<?>) at(path)).stream().map(String.class::cast).toList();
  }

  private Object at(String... path) {
    Object at = tree;
    for (String key : path) {
      at = ((Map<?, ?>) at).get(key);
    }
    return at;
  }
}
