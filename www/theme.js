/** Light, dark or as the device: set before the first paint, and when it is chosen. */
import { settings } from "./settings.js";

export function showTheme() {
  document.documentElement.dataset.theme = settings.theme;
}

showTheme();
