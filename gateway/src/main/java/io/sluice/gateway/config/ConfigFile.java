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

/** Reads a YAML file into a draft, with every problem that it has. Confined to one thread. */
public final class ConfigFile {
  /** The largest file that is read. */
  static final int MOST_BYTES = 1024 * 1024;

  /** Collections inside collections; ours need five. It keeps the composer's stack shallow. */
  private static final int DEEPEST = 16;

  /** What a problem names of the text: a password that begins with one of YAML's signs, perhaps. */
  private static final Pattern NAMED = Pattern.compile("\\b(alias|anchor|handle) .*");

  private final String name;
  private final ConfigDraft draft = new ConfigDraft();
  private final LoadSettings yaml;

  private ConfigFile(String name) {
    this.name = name;
    // Duplicate and odd keys are found by us, because then their places can be told.
    this.yaml =
        LoadSettings.builder()
            .setLabel(name)
            .setAllowDuplicateKeys(true)
            .setAllowNonScalarKeys(true)
            .setCodePointLimit(MOST_BYTES)
            .build();
  }

  /**
   * Reads a file.
   *
   * @param environment name of an environment variable to its value or null
   */
  public static ConfigDraft read(Path path, UnaryOperator<String> environment) {
    ConfigFile file = new ConfigFile(path.toString());
    file.load(path).ifPresent(text -> file.parse(text, environment));
    return file.draft;
  }

  /** Reads a text as if it were a file of that name. */
  static ConfigDraft parse(String name, String text, UnaryOperator<String> environment) {
    ConfigFile file = new ConfigFile(name);
    file.parse(text, environment);
    return file.draft;
  }

  private Optional<String> load(Path path) {
    if (!Files.exists(path)) {
      return refuse(Origin.of(name), "there is no such file");
    }
    if (Files.isDirectory(path)) {
      return refuse(Origin.of(name), "is a folder");
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      return bytes.length <= MOST_BYTES
          ? decode(bytes)
          : refuse(Origin.of(name), "has more than " + MOST_BYTES + " bytes");
    } catch (IOException e) {
      return refuse(Origin.of(name), "cannot be read: " + SettingFile.reason(e));
    }
  }

  private Optional<String> decode(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return refuse(Origin.of(name), "is not UTF-8");
    }
  }

  private void parse(String text, UnaryOperator<String> environment) {
    try {
      if (hasRightShape(text)) {
        Optional<Node> root = new Compose(yaml).composeString(text);
        root.ifPresent(node -> new ConfigTree(name, draft, environment).read(node));
      }
    } catch (MarkedYamlEngineException e) {
      refuse(origin(e.getProblemMark().or(e::getContextMark)), "is not YAML: " + problem(e));
    } catch (YamlEngineException e) {
      refuse(Origin.of(name), "is not YAML: " + firstLine(e.getMessage()));
    }
  }

  private static String problem(MarkedYamlEngineException e) {
    String what = NAMED.matcher(String.valueOf(e.getProblem())).replaceAll("$1");
    return e.getContext() == null ? what : e.getContext() + ", " + what;
  }

  private static String firstLine(String text) {
    return text == null ? "no reason given" : text.lines().findFirst().orElse("");
  }

  /** One document, not nested too deep: seen from the events, which take no stack. */
  private boolean hasRightShape(String text) {
    int depth = 0;
    int documents = 0;
    for (Event event : new Parse(yaml).parseString(text)) {
      if (event instanceof CollectionStartEvent && ++depth > DEEPEST) {
        refuse(origin(event.getStartMark()), "more than " + DEEPEST + " levels");
        return false;
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      } else if (event instanceof DocumentStartEvent && ++documents > 1) {
        refuse(origin(event.getStartMark()), "a second document begins; there must be only one");
        return false;
      }
    }
    return true;
  }

  private Origin origin(Optional<Mark> mark) {
    return mark.map(at -> new Origin(name, at.getLine() + 1, at.getColumn() + 1))
        .orElse(Origin.of(name));
  }

  private Optional<String> refuse(Origin origin, String what) {
    draft.report(new Problem(origin, "", what, ""));
    return Optional.empty();
  }
}
