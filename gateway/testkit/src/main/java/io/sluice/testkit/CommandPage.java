package io.sluice.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Generator of a Markdown reference from the commands of a program. Confined to a thread.
 *
 * <p>A description ends with the default in parentheses, after the configuration key if there is
 * one: {@code (server.port; default: 8080).}
 */
public final class CommandPage {
  /** Options of every command, which the page lists once. */
  private static final Set<String> COMMON = Set.of("--help", "--version", "--verbose");

  private static final Pattern DEFAULT =
      Pattern.compile(" \\((?:([^()]*); )?default: ([^()]*)\\)\\.$");

  private static final String FAILURE = "1";
  private static final Set<String> CODES = Set.of("0", FAILURE, "2");

  /** Configuration key in parentheses. */
  private static final Pattern KEY = Pattern.compile("\\(([a-z-]+(?:\\.[a-z-]+)+)\\)");

  /** URL, which is an example and not a link. */
  private static final Pattern URL =
      Pattern.compile("\\b(?:https?|wss?|tcp)://[^\\s,;)]*[^\\s,;).:]");

  /** Number of commands from which a line that they have in common is printed once. */
  private static final int SHARED = 3;

  private final CommandLine program;
  private final List<CommandLine> commands;

  /** Lines about options that commands share, by the option's name, each with its commands. */
  private final Map<String, Map<String, List<String>>> optionLines = new TreeMap<>();

  /** Paragraphs of descriptions, each with its commands. */
  private final Map<String, List<String>> paragraphs = new LinkedHashMap<>();

  private CommandPage(CommandLine program) {
    this.program = program;
    commands = commands(program);
    for (CommandLine command : commands) {
      for (OptionSpec option : options(command, false)) {
        optionLines
            .computeIfAbsent(option.longestName(), name -> new LinkedHashMap<>())
            .computeIfAbsent(line(option), line -> new ArrayList<>())
            .add(name(command));
      }
      descriptions(command)
          .forEach(
              text -> paragraphs.computeIfAbsent(text, t -> new ArrayList<>()).add(name(command)));
    }
  }

  private String text() {
    StringBuilder page = new StringBuilder();
    commands.forEach(
        command -> page.append("- %s: %s\n".formatted(link(name(command)), header(command))));
    page.append(sharedOptions()).append("\n## Exit codes\n\n").append(exitCodes());
    commands.forEach(command -> page.append(section(command)));
    return page.toString();
  }

  /**
   * Returns the options of all commands, those of the commands that require the same option, and
   * other ones of several commands.
   */
  private String sharedOptions() {
    StringBuilder text = new StringBuilder("\n## Shared options\n\nAll commands:\n\n");
    options(program, true).forEach(option -> text.append(line(option)));
    for (String required : requiredNames()) {
      text.append("\nAll commands with `%s` in their example:\n\n".formatted(required));
      sharedLines(users(required)::equals).forEach(text::append);
    }
    text.append("\nThe commands that name them:\n\n");
    sharedLines(users -> requiredNames().stream().noneMatch(name -> users(name).equals(users)))
        .forEach(text::append);
    return text.toString();
  }

  /** Returns the names of the options that several commands require. */
  private List<String> requiredNames() {
    return optionLines.keySet().stream()
        .filter(name -> isShared(users(name)))
        .filter(name -> lineOf(name).endsWith(" Required.\n"))
        .toList();
  }

  /** Returns the commands with the most frequent form of an option. */
  private List<String> users(String option) {
    return optionLines.get(option).get(lineOf(option));
  }

  private String lineOf(String option) {
    Map<String, List<String>> lines = optionLines.get(option);
    return Collections.max(lines.keySet(), Comparator.comparing(line -> lines.get(line).size()));
  }

  /** Returns the lines that several commands share, if these commands meet a condition. */
  private Stream<String> sharedLines(Predicate<List<String>> condition) {
    return optionLines.values().stream()
        .flatMap(lines -> lines.entrySet().stream())
        .filter(line -> isShared(line.getValue()) && condition.test(line.getValue()))
        .map(Map.Entry::getKey);
  }

  /** Returns the commands, shared options, exit codes, and a section for each command. */
  public static String sections(CommandLine program) {
    return new CommandPage(program).text();
  }

  /** Returns the commands with their purposes, and the exit codes. */
  public static String overview(CommandLine program) {
    CommandPage page = new CommandPage(program);
    String purposes =
        page.commands.stream()
            .map(command -> "- %s: %s\n".formatted(code(name(command)), header(command)))
            .collect(Collectors.joining());
    return purposes + "\n## Exit codes\n\n" + page.exitCodes();
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

  private String section(CommandLine command) {
    StringBuilder section = new StringBuilder("\n## %s\n".formatted(name(command)));
    for (String paragraph : descriptions(command)) {
      if (!isShared(paragraphs.get(paragraph))) {
        section.append("\n%s\n".formatted(paragraph));
      }
    }
    example(command).forEach(line -> section.append("\n```sh\n%s\n```\n".formatted(line)));
    arguments(command, section);
    options(command, section);
    return section.toString();
  }

  private boolean isShared(OptionSpec option) {
    return isShared(optionLines.get(option.longestName()).get(line(option)));
  }

  private static boolean isShared(List<String> users) {
    return users.size() >= SHARED;
  }

  /** Returns whether all commands with an option require another one, which the example has. */
  private boolean isInExample(OptionSpec option, CommandLine command) {
    List<String> users = optionLines.get(option.longestName()).get(line(option));
    return requiredNames().stream()
        .filter(name -> users(name).equals(users))
        .anyMatch(name -> example(command).stream().anyMatch(line -> line.contains(name + " ")));
  }

  private static void arguments(CommandLine command, StringBuilder section) {
    List<PositionalParamSpec> arguments = command.getCommandSpec().positionalParameters();
    section.append(arguments.isEmpty() ? "" : "\n");
    for (PositionalParamSpec argument : arguments) {
      section.append(
          "- `%s`: %s\n".formatted(argument.paramLabel(), escaped(description(argument))));
    }
  }

  private void options(CommandLine command, StringBuilder section) {
    List<String> lines =
        options(command, false).stream()
            .filter(option -> !isShared(option))
            .map(CommandPage::line)
            .collect(Collectors.toList());
    String shared =
        options(command, false).stream()
            .filter(option -> isShared(option) && !isInExample(option, command))
            .map(option -> "[`%s`](#shared-options)".formatted(option.longestName()))
            .sorted()
            .collect(Collectors.joining(", "));
    if (!shared.isEmpty()) {
      lines.add("- " + shared + "\n");
    }
    boolean afterArguments = !command.getCommandSpec().positionalParameters().isEmpty();
    section.append(lines.isEmpty() || afterArguments ? "" : "\n").append(String.join("", lines));
  }

  /** Returns the line about an option. */
  private static String line(OptionSpec option) {
    String text = description(option);
    Matcher found = DEFAULT.matcher(text);
    boolean hasDefault = found.find();
    String value = hasDefault ? " Default: " + value(found.group(2)) + "." : requirement(option);
    String key = hasDefault && found.group(1) != null ? " (`" + found.group(1) + "`)" : "";
    String meaning = hasDefault ? text.substring(0, found.start()) + key + "." : text;
    return "- %s: %s%s\n".formatted(names(option), escaped(meaning), value);
  }

  private static String requirement(OptionSpec option) {
    boolean exclusive = option.group() != null && option.group().exclusive();
    return exclusive ? " One of these is required." : option.required() ? " Required." : "";
  }

  private static String value(String text) {
    return text.contains(" ") || text.startsWith("`") ? text : "`" + text + "`";
  }

  /** Returns the exit codes: the meanings of 1, each with the commands that share it. */
  private String exitCodes() {
    Map<String, List<String>> failures = new LinkedHashMap<>();
    for (CommandLine command : commands) {
      Map<String, String> codes = command.getCommandSpec().usageMessage().exitCodeList();
      if (!CODES.containsAll(codes.keySet())) {
        throw new AssertionError(name(command) + " has another exit code: " + codes);
      }
      String failure = codes.get(FAILURE);
      if (failure != null) {
        failures.computeIfAbsent(failure, f -> new ArrayList<>()).add(name(command));
      }
    }
    StringBuilder list = new StringBuilder("0: success. 2: the command line is invalid. 1:\n\n");
    failures.forEach(
        (failure, users) -> list.append("- %s: %s\n".formatted(listed(users), escaped(failure))));
    paragraphs.forEach(
        (text, users) -> {
          if (isShared(users)) {
            list.append("\n%s: %s\n".formatted(listed(users), text));
          }
        });
    return list.toString();
  }

  private static String listed(List<String> names) {
    return names.stream().map(CommandPage::code).collect(Collectors.joining(", "));
  }

  private static String code(String name) {
    return "`" + withoutProgram(name) + "`";
  }

  private static String link(String name) {
    return "[%s](#%s)".formatted(code(name), name.replace(' ', '-'));
  }

  private static String withoutProgram(String name) {
    return name.substring(name.indexOf(' ') + 1);
  }

  private static List<String> descriptions(CommandLine command) {
    return Stream.of(command.getCommandSpec().usageMessage().description())
        .map(paragraph -> escaped(formatted(paragraph)))
        .toList();
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
            .map(name -> "`" + name(option, name) + "`")
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
}
