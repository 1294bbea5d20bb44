package io.sluice.gateway.config;

import io.sluice.gateway.config.Problem.Origin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Parser of a YAML configuration file. Confined to one thread. Reports all problems of the file.
 */
public final class ConfigFile {
  /** Largest file, in bytes. */
  static final int MAX_BYTES = 1024 * 1024;

  /** Maximum nesting of collections; valid files need five. Bounds the composer's stack. */
  private static final int MAX_DEPTH = 16;

  /** File content quoted in a YAML error, which may be a password that starts with * or &. */
  private static final Pattern QUOTED_CONTENT = Pattern.compile("\\b(alias|anchor|handle) .*");

  private final String name;
  private final ConfigDraft draft = new ConfigDraft();
  private final LoadSettings yaml;

  private ConfigFile(String name) {
    this.name = name;
    // ConfigTree reports duplicate and non-scalar keys with their positions.
    this.yaml =
        LoadSettings.builder()
            .setLabel(name)
            .setAllowDuplicateKeys(true)
            .setAllowNonScalarKeys(true)
            .setCodePointLimit(MAX_BYTES)
            .build();
  }

  /**
   * Parses a file.
   *
   * @param environment name of an environment variable to its value or null
   */
  public static ConfigDraft read(Path path, UnaryOperator<String> environment) {
    ConfigFile file = new ConfigFile(path.toString());
    file.load(path).ifPresent(text -> file.parse(text, environment));
    return file.draft;
  }

  /** Parses a text as the content of a file of that name. */
  static ConfigDraft parse(String name, String text, UnaryOperator<String> environment) {
    ConfigFile file = new ConfigFile(name);
    file.parse(text, environment);
    return file.draft;
  }

  private Optional<String> load(Path path) {
    if (!Files.exists(path)) {
      return reject(Origin.of(name), "there is no such file");
    }
    if (Files.isDirectory(path)) {
      return reject(Origin.of(name), "is a folder");
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      return bytes.length <= MAX_BYTES
          ? decode(bytes)
          : reject(Origin.of(name), "has more than " + MAX_BYTES + " bytes");
    } catch (IOException e) {
      return reject(Origin.of(name), "cannot be read: " + SettingFile.reason(e));
    }
  }

  private Optional<String> decode(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return reject(Origin.of(name), "is not UTF-8");
    }
  }

  private void parse(String text, UnaryOperator<String> environment) {
    try {
      if (isSingleShallowDocument(text)) {
        Optional<Node> root = new Compose(yaml).composeString(text);
        root.ifPresent(node -> new ConfigTree(name, draft, environment).read(node));
      }
    } catch (MarkedYamlEngineException e) {
      reject(origin(e.getProblemMark().or(e::getContextMark)), "is not YAML: " + problem(e));
    } catch (YamlEngineException e) {
      reject(Origin.of(name), "is not YAML: " + firstLine(e.getMessage()));
    }
  }

  private static String problem(MarkedYamlEngineException e) {
    String what = QUOTED_CONTENT.matcher(String.valueOf(e.getProblem())).replaceAll("$1");
    return e.getContext() == null ? what : e.getContext() + ", " + what;
  }

  private static String firstLine(String text) {
    return text == null ? "no reason given" : text.lines().findFirst().orElse("");
  }

  /**
   * Returns whether the text is one document with limited nesting. Uses the parser's events,
   * because they need no recursion.
   */
  private boolean isSingleShallowDocument(String text) {
    int depth = 0;
    int documents = 0;
    for (Event event : new Parse(yaml).parseString(text)) {
      if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
        reject(origin(event.getStartMark()), "is nested deeper than " + MAX_DEPTH + " levels");
        return false;
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      } else if (event instanceof DocumentStartEvent && ++documents > 1) {
        reject(
            origin(event.getStartMark()), "contains a second YAML document; only one is allowed");
        return false;
      }
    }
    return true;
  }

  private Origin origin(Optional<Mark> mark) {
    return mark.map(at -> new Origin(name, at.getLine() + 1, at.getColumn() + 1))
        .orElse(Origin.of(name));
  }

  private Optional<String> reject(Origin origin, String what) {
    draft.report(new Problem(origin, "", what, ""));
    return Optional.empty();
  }
}
