package io.sluice.gateway.broker;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Jar with one class that is not on the class path of the tests. */
public final class PluginJar {
  private PluginJar() {}

  /** Writes a class that adds nothing to its parent. */
  public static void write(Path folder, String className, Class<?> parent) throws IOException {
    write(folder, className, parent, "");
  }

  /**
   * Writes a class with a body. Only this class is in the jar, not those nested in it.
   *
   * @param body members of the class in Java
   */
  public static void write(Path folder, String className, Class<?> parent, String body)
      throws IOException {
    Path sources = Files.createTempDirectory("plugin");
    String simpleName = className.substring(className.lastIndexOf('.') + 1);
    Path source = sources.resolve(simpleName + ".java");
    Files.writeString(
        source,
        "package %s; public class %s extends %s { %s }"
            .formatted(
                className.substring(0, className.lastIndexOf('.')),
                simpleName,
                parent.getName(),
                body));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options =
        List.of(
            "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", sources.toString());
    boolean compiled =
        compiler
            .getTask(
                null,
                null,
                null,
                options,
                null,
                compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source))
            .call();
    if (!compiled) {
      throw new AssertionError("the plug-in does not compile");
    }
    String entry = className.replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(folder.resolve("plugin.jar"));
        JarOutputStream jar = new JarOutputStream(file)) {
      jar.putNextEntry(new ZipEntry(entry));
      jar.write(Files.readAllBytes(sources.resolve(entry)));
    }
  }
}
