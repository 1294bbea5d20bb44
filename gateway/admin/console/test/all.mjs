// All tests in one process, with one browser.
import "./attacks.test.mjs";
import "./commands.test.mjs";
import "./keyboard.test.mjs";
import "./questions.test.mjs";
import "./views.test.mjs";
