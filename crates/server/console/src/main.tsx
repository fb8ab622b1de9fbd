// The start of the console.

import { render } from "preact";
import { startToken } from "./api/token";
import { App } from "./shell/app";
import { startShortcuts } from "./shell/shortcuts";
import { startTheme } from "./state/theme";
import "./style/index.css";

startTheme();
startShortcuts();
startToken();
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
