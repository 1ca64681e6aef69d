// How the element is used from TypeScript.

import { PlotbridgeAsk, type Place } from "plotbridge/ask-element.js";
import type { Answer, Book } from "plotbridge";

export function placed(book: Book): PlotbridgeAsk {
  const element = document.createElement("plotbridge-ask");
  element.book = book;
  element.options = { contextTokens: 2000 };
  element.models = { chat: { url: "http://localhost:11434/v1", model: "qwen3" } };
  element.addEventListener("plotbridge-answer", ({ detail }) => told(detail));
  element.addEventListener("plotbridge-open", (event) => {
    event.preventDefault();
    shown(event.detail);
  });
  return element;
}

export async function asked(element: PlotbridgeAsk): Promise<string> {
  // @ts-expect-error the element gives its own signal
  element.options = { signal: new AbortController().signal };
  // @ts-expect-error a question is a text
  await element.ask(5);
  return (await element.ask("why?")).text;
}

const told = (answer: Answer) => console.log(answer.text);
const shown = ({ start, end, opener }: Place) => console.log(start, end, opener.id);
