// The contract of the package: what every engine, in every place, must do.
//
//   import { contract } from "./suite.js";
//   for (const [name, check] of Object.entries(contract)) await check(subject);
//
// A check throws when it does not hold. The subject is
//   { Book, PlotbridgeError, Pause, keptReplies, forgetReplies,   the package
//     options,                    given to every open and build, such as { worker: false }
//     engine,                     what book.engine must say: "worker" or "thread"
//     name, lasting,              the name of a build of a text, and whether its replies can be kept
//     urls: { index, html, missing, models } }   absolute addresses: an index, an HTML page, a 404,
//                                 and the scripted model server with the RULES of models.js
// Nothing here is of Node or of a test framework, so that a page can import it.

import { faults } from "./faults.js";
import { inputs } from "./inputs.js";
import { lifecycle } from "./lifecycle.js";
import { models } from "./models.js";
import { position } from "./position.js";
import { questions } from "./questions.js";
import { resume } from "./resume.js";
import { spending } from "./spending.js";

export const contract = { ...lifecycle, ...questions, ...position, ...models, ...resume, ...spending, ...faults, ...inputs };
