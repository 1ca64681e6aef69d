// Books for the contract: small ones with one property each, and a long one that is drawn by rule.

const CHAPTERS = [
  [
    "CHAPTER I",
    "The Ferry",
    "Captain Orrin Vale kept the ferry at Stonemouth for thirty years. His daughter Ines Vale rowed the small boat when the old man slept. In the winter a stranger named Dr. Halloran Pike came down to the landing with a locked iron box. Ines asked the doctor what the box held, and he would not say.",
    "That night the river rose. Captain Vale tied the ferry to the oak and told Ines to stay ashore. Dr. Pike crossed the water alone, in the small boat, with the iron box between his knees.",
  ],
  [
    "CHAPTER II",
    "The Iron Box",
    "In the morning Ines found the small boat on the far bank, and the iron box was gone from it. Widow Tamsin Groat swore that she had seen Dr. Pike bury the box under the chapel floor. Nobody in Stonemouth believed the widow, because she had also seen the devil in a herring barrel.",
    "Ines Vale took a spade to the chapel. Under the third stone she found the iron box, and in the box lay a letter in her mother's hand. The letter said that Halloran Pike was her mother's brother.",
  ],
  [
    "CHAPTER III",
    "The Letter",
    "Captain Vale read the letter twice and burned it in the stove. He told his daughter that her uncle had paid for the ferry, and that he had been ashamed of it for thirty years. Ines forgave her father, but she kept the iron box.",
    "Dr. Pike never came back to Stonemouth. Every spring a parcel came for Ines with no name on it, and Widow Groat said that the devil had learned to write.",
  ],
];

/** Three chapters, four people, one question that can be answered. */
export const SMALL = CHAPTERS.map((parts) => parts.join("\n\n")).join("\n\n\n");
export const QUESTION = "Where did Dr. Pike bury the iron box?";

/** The same story as a file with a byte order mark, CRLF and characters outside the BMP. */
export const AWKWARD = `\uFEFF${SMALL.replaceAll("Ines", "Ines 🌊𝔙").replaceAll("\n", "\r\n")}`;
export const AWKWARD_TEXT = AWKWARD.slice(1).replaceAll("\r\n", "\n");

/** One sentence or two, one chunk. */
export const ONE_CHUNK = "Ines Vale rowed the small boat across the river. She found an iron box under the chapel floor.";

/** Weather only: nobody is named. */
export const NO_PERSONS =
  "the rain fell on the hill all day. the river rose in the night and took the bridge. in the morning the water lay over the fields, and the wind went round to the north. ".repeat(6);

/** A question about things that are in none of these books. */
export const FOREIGN = "Which zeppelin transported the platypus?";

const WORDS = {
  who: ["Ines Vale", "Captain Orrin Vale", "Dr. Pike", "Widow Groat", "Anselm Rook", "Lady Merrow", "Tobias Fenn"],
  did: ["followed", "warned", "answered", "visited", "forgave", "accused", "hid from", "wrote to"],
  where: ["at the ferry", "in the chapel", "by the river", "under the oak", "on the far bank", "in the market"],
  when: ["that morning", "before the flood", "in the winter", "after the funeral", "at dusk", "on the third day"],
};

/** A book of about so many characters; the same every time. */
export function long(characters) {
  let state = 20_011;
  const draw = (list) => {
    state = (state * 48_271) % 2_147_483_647;
    return list[state % list.length];
  };
  const parts = [];
  for (let size = 0, at = 0; size < characters; at++) {
    if (at % 400 === 0) parts.push(`\n\nCHAPTER ${at / 400 + 1}\n\n`);
    const sentence = `${draw(WORDS.who)} ${draw(WORDS.did)} ${draw(WORDS.who)} ${draw(WORDS.where)} ${draw(WORDS.when)}, and number ${at} was written on the wall.`;
    parts.push(sentence, at % 6 === 5 ? "\n\n" : " ");
    size += sentence.length;
  }
  return parts.join("");
}

/** Two chapters; who hid the key is told, and first named, in the second. */
export const SECRET = `CHAPTER I

Old Mr Tregarth kept the ferry house, and Miss Ines Tregarth kept the accounts. Somebody had hidden a key, and nobody would say who. Ines looked under the stairs, in the clock and behind the tea tins. Mr Tregarth said that a key was a small thing to lose a night's sleep over. Ines did not sleep. She sat by the window and counted the boats until the lamp went out.

CHAPTER II

In the morning a stranger came over the river. Her name was Mrs Mallory, and she laughed when she saw the clock in pieces. "I hid the silver key," said Mrs Mallory, "in the bread, where no Tregarth would look." Ines cut the loaf, and there was the silver key. Mr Tregarth ate the bread. Mrs Mallory took the next boat home.
`;
