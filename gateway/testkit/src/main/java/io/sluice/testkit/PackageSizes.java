package io.sluice.testkit;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Number of files and dependency cycles within each package. One use, one thread. */
public final class PackageSizes {
  private final Map<String, Set<String>> uses;
  private final Map<String, Integer> index = new HashMap<>();
  private final Map<String, Integer> low = new HashMap<>();
  private final Deque<String> stack = new ArrayDeque<>();
  private final List<Set<String>> components = new ArrayList<>();

  private PackageSizes(Map<String, Set<String>> uses) {
    this.uses = uses;
  }

  /** Returns the packages with more files than {@code most}, with their number. */
  public static List<String> tooLarge(JavaClasses classes, int most) {
    return files(classes).entrySet().stream()
        .filter(each -> each.getValue().size() > most)
        .map(each -> each.getKey() + " has " + each.getValue().size() + " files")
        .toList();
  }

  /** Returns the strongly connected components of more than {@code most} files. */
  public static List<Set<String>> cyclesAbove(JavaClasses classes, int most) {
    List<Set<String>> found = new ArrayList<>();
    for (Map<String, Set<String>> files : files(classes).values()) {
      found.addAll(new PackageSizes(files).components());
    }
    return found.stream().filter(cycle -> cycle.size() > most).toList();
  }

  /** Top-level classes by package, with those of the same package that they depend on. */
  private static Map<String, Map<String, Set<String>>> files(JavaClasses classes) {
    Map<String, Map<String, Set<String>>> files = new TreeMap<>();
    for (JavaClass each : classes) {
      if (!each.getSimpleName().equals("package-info")) {
        Set<String> used =
            files
                .computeIfAbsent(each.getPackageName(), name -> new TreeMap<>())
                .computeIfAbsent(file(each), name -> new TreeSet<>());
        for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (target.getPackageName().equals(each.getPackageName())) {
            used.add(file(target));
          }
        }
      }
    }
    return files;
  }

  private static String file(JavaClass of) {
    int nested = of.getName().indexOf('$');
    return nested < 0 ? of.getName() : of.getName().substring(0, nested);
  }

  /** Tarjan's strongly connected components. */
  private List<Set<String>> components() {
    for (String file : uses.keySet()) {
      if (!index.containsKey(file)) {
        visit(file);
      }
    }
    return components;
  }

  private void visit(String file) {
    index.put(file, index.size());
    low.put(file, index.get(file));
    stack.push(file);
    for (String used : uses.getOrDefault(file, Set.of())) {
      if (!index.containsKey(used)) {
        visit(used);
        low.merge(file, low.get(used), Math::min);
      } else if (stack.contains(used)) {
        low.merge(file, index.get(used), Math::min);
      }
    }
    if (low.get(file).equals(index.get(file))) {
      components.add(popUntil(file));
    }
  }

  private Set<String> popUntil(String file) {
    Set<String> component = new TreeSet<>();
    String popped;
    do {
      popped = stack.pop();
      component.add(popped);
    } while (!popped.equals(file));
    return component;
  }
}
