package io.sluice.testkit;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Generator of a Markdown reference from the commands of a program. Stateless, for any thread.
 *
 * <p>A description ends with the default in parentheses, after the configuration key if there is
 * one: {@code (server.port; default: 8080).}
 */
public final class CommandPage {
  /** Options of every command, which the page lists once. */
  private static final Set<String> COMMON = Set.of("--help", "--version", "--verbose");

  private static final Pattern DEFAULT =
      Pattern.compile(" \\((?:([^()]*); )?default: ([^()]*)\\)\\.$");
  private static final Pattern COMMON_SYNOPSIS = Pattern.compile(" \\[(?:-hV?|--verbose)]");

  /** Configuration key in parentheses. */
  private static final Pattern KEY = Pattern.compile("\\(([a-z-]+(?:\\.[a-z-]+)+)\\)");

  /** URL, which is an example and not a link. */
  private static final Pattern URL =
      Pattern.compile("\\b(?:https?|wss?|tcp)://[^\\s,;)]*[^\\s,;).:]");

  private static final int MAX_SYNOPSIS = 88;
  private static final int UNWRAPPED = 10_000;

  private CommandPage() {}

  /** Returns the list of commands, their common options, and a section for each command. */
  public static String sections(CommandLine program) {
    StringBuilder page = new StringBuilder("| command | purpose |\n|---|---|\n");
    List<CommandLine> commands = commands(program);
    for (CommandLine command : commands) {
      String name = name(command);
      page.append(
          "| [`%s`](#%s) | %s |\n".formatted(name, name.replace(' ', '-'), header(command)));
    }
    page.append("\n## Options of all commands\n\n| option | meaning |\n|---|---|\n");
    options(program, true)
        .forEach(
            option ->
                page.append(
                    "| %s | %s |\n".formatted(names(option), escaped(description(option)))));
    commands.forEach(command -> page.append(section(command)));
    return page.toString();
  }

  /** Returns the arguments of each command's example. */
  public static List<String[]> examples(CommandLine program) {
    return commands(program).stream()
        .flatMap(command -> example(command).stream())
        .map(line -> line.substring(line.indexOf(' ') + 1).split(" "))
        .toList();
  }

  /** Returns all commands in the order of the help; a command precedes those below it. */
  private static List<CommandLine> commands(CommandLine parent) {
    return parent.getSubcommands().values().stream()
        .distinct()
        .flatMap(child -> Stream.concat(Stream.of(child), commands(child).stream()))
        .toList();
  }

  private static String section(CommandLine command) {
    StringBuilder section =
        new StringBuilder("\n## %s\n\n%s\n".formatted(name(command), header(command)));
    section.append("\n```text\n%s\n```\n".formatted(synopsis(command)));
    for (String paragraph : command.getCommandSpec().usageMessage().description()) {
      section.append("\n%s\n".formatted(escaped(formatted(paragraph))));
    }
    arguments(command, section);
    options(command, section);
    exitCodes(command, section);
    example(command)
        .forEach(line -> section.append("\nExample:\n\n```sh\n%s\n```\n".formatted(line)));
    return section.toString();
  }

  private static void arguments(CommandLine command, StringBuilder section) {
    List<PositionalParamSpec> arguments = command.getCommandSpec().positionalParameters();
    if (!arguments.isEmpty()) {
      section.append("\n| argument | meaning |\n|---|---|\n");
      for (PositionalParamSpec argument : arguments) {
        section.append(
            "| `%s` | %s |\n".formatted(argument.paramLabel(), escaped(description(argument))));
      }
    }
  }

  private static void options(CommandLine command, StringBuilder section) {
    List<OptionSpec> options = options(command, false);
    if (!options.isEmpty()) {
      section.append("\n| option | default | meaning |\n|---|---|---|\n");
      for (OptionSpec option : options) {
        section.append(row(option));
      }
    }
  }

  private static String row(OptionSpec option) {
    String text = description(option);
    Matcher found = DEFAULT.matcher(text);
    boolean hasDefault = found.find();
    String value = hasDefault ? value(found.group(2)) : requirement(option);
    String key = hasDefault && found.group(1) != null ? " (`" + found.group(1) + "`)" : "";
    String meaning = hasDefault ? text.substring(0, found.start()) + key + "." : text;
    return "| %s | %s | %s |\n".formatted(names(option), value, escaped(meaning));
  }

  private static String requirement(OptionSpec option) {
    boolean exclusive = option.group() != null && option.group().exclusive();
    return exclusive ? "one of these" : option.required() ? "required" : "";
  }

  private static String value(String text) {
    return text.contains(" ") ? text : "`" + text + "`";
  }

  private static void exitCodes(CommandLine command, StringBuilder section) {
    Map<String, String> codes = command.getCommandSpec().usageMessage().exitCodeList();
    if (!codes.isEmpty()) {
      section.append("\n| exit code | meaning |\n|---|---|\n");
      codes.forEach(
          (code, meaning) -> section.append("| %s | %s |\n".formatted(code, escaped(meaning))));
    }
  }

  private static List<OptionSpec> options(CommandLine command, boolean common) {
    return command.getCommandSpec().options().stream()
        .filter(option -> !option.hidden())
        .filter(option -> COMMON.contains(option.longestName()) == common)
        .toList();
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  private static String header(CommandLine command) {
    return String.join(" ", command.getCommandSpec().usageMessage().header());
  }

  private static List<String> example(CommandLine command) {
    return Stream.of(command.getCommandSpec().usageMessage().footer())
        .map(String::strip)
        .filter(line -> line.startsWith("sluice "))
        .toList();
  }

  /** Returns the names with the parameter, such as {@code --port N}. */
  private static String names(OptionSpec option) {
    String names =
        Stream.of(option.names())
            .map(name -> "`" + escaped(name(option, name)) + "`")
            .collect(Collectors.joining(", "));
    return option.negatable()
        ? names + ", `--no-" + option.longestName().substring(2) + "`"
        : names;
  }

  private static String name(OptionSpec option, String name) {
    return option.arity().max() == 0 ? name : name + " " + option.paramLabel();
  }

  private static String description(ArgSpec argument) {
    return formatted(String.join(" ", argument.description()));
  }

  /** Returns a text as the help shows it: its description is a format. */
  private static String formatted(String text) {
    String plain = KEY.matcher(String.format(text)).replaceAll("(`$1`)");
    return URL.matcher(plain).replaceAll("`$0`");
  }

  /** Returns a text without meaning in Markdown, HTML or tables. */
  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*");
  }

  /** Returns the synopsis without the common options, in lines of limited length. */
  private static String synopsis(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    UsageMessageSpec usage = spec.usageMessage();
    int width = usage.width();
    usage.width(UNWRAPPED);
    String line = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF)).synopsis(0).strip();
    usage.width(width);
    return wrapped(COMMON_SYNOPSIS.matcher(line).replaceAll(""));
  }

  private static String wrapped(String line) {
    StringBuilder text = new StringBuilder();
    int column = 0;
    for (String part : line.split(" (?![^\\[]*])")) {
      if (column > 0 && column + 1 + part.length() > MAX_SYNOPSIS) {
        text.append("\n    ").append(part);
        column = 4 + part.length();
      } else {
        text.append(column > 0 ? " " : "").append(part);
        column += 1 + part.length();
      }
    }
    return text.toString();
  }
}
