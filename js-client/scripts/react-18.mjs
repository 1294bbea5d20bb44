// Gives the compiled tests a second home, where they find the oldest React that the hooks support.
import { cpSync, symlinkSync } from "node:fs";

cpSync("target/test", "target/react-18", { recursive: true });
symlinkSync("../../test/react-18/node_modules", "target/react-18/node_modules", "junction");
