// Input as both WebDriver protocols describe it, the classic one and BiDi: a list of actions.

/** Keys that are no characters, by the names that pages see. */
const KEYS = { Tab: "\uE004", Enter: "\uE006", End: "\uE010", Home: "\uE011" };

export const key = (name) => keys([KEYS[name]]);

export const typed = (text) => keys([...text]);

const keys = (values) => [{
  type: "key",
  id: "keyboard",
  actions: values.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]),
}];

export const pressed = (x, y) => [{
  type: "pointer",
  id: "mouse",
  parameters: { pointerType: "mouse" },
  actions: [{ type: "pointerMove", x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }],
}];
