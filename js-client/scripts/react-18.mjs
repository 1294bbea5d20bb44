// Copies the compiled tests to a second folder, in which they use the oldest supported React.
import { cpSync, symlinkSync } from "node:fs";

cpSync("target/test", "target/react-18", { recursive: true });
symlinkSync("../../test/react-18/node_modules", "target/react-18/node_modules", "junction");
