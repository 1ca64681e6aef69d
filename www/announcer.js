/**
 * One voice for what the page does: said once, politely, when something starts, is done or fails. The
 * question box has a voice of its own for its answers. Progress is seen, not heard.
 */
const voice = document.getElementById("announcer");

/** @param {string} words a sentence */
export function say(words) {
  voice.textContent = words;
}
