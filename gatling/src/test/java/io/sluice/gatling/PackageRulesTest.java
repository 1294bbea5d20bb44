package io.sluice.gatling;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bounds the size of the packages and of the import cycles within them. */
class PackageRulesTest {
  private static final int MAX_FILES = 30;
  private static final int MAX_CYCLE = 5;

  /** Files by package, each with the files of the same package that it depends on. */
  private static final Map<String, Map<String, Set<String>>> PACKAGES = new TreeMap<>();

  @BeforeAll
  static void read() {
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.sluice.gatling")) {
      if (type.getSimpleName().equals("package-info")) {
        continue;
      }
      Set<String> dependencies =
          PACKAGES
              .computeIfAbsent(type.getPackageName(), absent -> new TreeMap<>())
              .computeIfAbsent(file(type), absent -> new TreeSet<>());
      type.getDirectDependenciesFromSelf().stream()
          .map(Dependency::getTargetClass)
          .map(JavaClass::getBaseComponentType)
          .filter(target -> target.getPackageName().equals(type.getPackageName()))
          .map(PackageRulesTest::file)
          .forEach(dependencies::add);
    }
  }

  @Test
  void shouldHaveAtMostThirtyFilesInAPackage() {
    assertThat(PACKAGES)
        .isNotEmpty()
        .allSatisfy(
            (name, files) -> assertThat(files.keySet()).hasSizeLessThanOrEqualTo(MAX_FILES));
  }

  @Test
  void shouldHaveAtMostFiveFilesInACycleWithinAPackage() {
    assertThat(PACKAGES)
        .isNotEmpty()
        .allSatisfy(
            (name, files) ->
                assertThat(files.keySet())
                    .allSatisfy(
                        file ->
                            assertThat(cycle(file, files)).hasSizeLessThanOrEqualTo(MAX_CYCLE)));
  }

  /** Returns the files that depend on each other, directly or not, among them {@code file}. */
  private static Set<String> cycle(String file, Map<String, Set<String>> files) {
    return reachable(file, files).stream()
        .filter(other -> reachable(other, files).contains(file))
        .collect(Collectors.toSet());
  }

  private static Set<String> reachable(String file, Map<String, Set<String>> files) {
    Set<String> reached = new HashSet<>();
    Deque<String> pending = new ArrayDeque<>(Set.of(file));
    while (!pending.isEmpty()) {
      String next = pending.pop();
      if (reached.add(next)) {
        pending.addAll(files.getOrDefault(next, Set.of()));
      }
    }
    return reached;
  }

  private static String file(JavaClass type) {
    String name = type.getName().substring(type.getPackageName().length() + 1);
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
