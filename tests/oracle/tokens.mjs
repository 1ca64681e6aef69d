// Makes tests/data/tokens.json: reference token counts for sentences of our own, in many kinds of
// writing, from the package gpt-tokenizer 4.0.0 (tables o200k_base and cl100k_base).
//
//   npm ci && node tests/oracle/tokens.mjs
import { writeFileSync } from "node:fs";
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base";

const SAMPLES = {
  prose: "The ferry had not come by dusk, and the people on the landing began to speak of going home. Old Tamsin sat on her basket and said that the river would carry them when it was ready, and not before; she had seen worse floods, and slept through most of them.\n\nNobody answered her. The lantern on the far bank burned low, went out, and was lit again.",
  wrapped: "It was in the second week of the rains that the\nboy came down from the upper farm with a letter\nfor the schoolmaster.  He had walked all night,\nand his boots, which were too large for him, had\nbeen stuffed with straw.  The schoolmaster read\nthe letter twice, folded it, and asked whether\nanybody else had seen it.",
  dialogue: "\"You can't stay here,\" said Mrs. Orrin. \"They'll look for you.\"\n\n\"Who'll look?\" he asked.\n\n\"Everyone! The constable, the miller's sons, that clerk who's always writing things down--\"\n\n\"Let them look.\" He hadn't moved. \"I've nothing they'd want.\"",
  curly: "\u201cYou can\u2019t stay here,\u201d said Mrs. Orrin. \u201cThey\u2019ll look for you.\u201d\n\n\u201cWho\u2019ll look?\u201d he asked\u2014and sat down. \u201cI\u2019ve nothing they\u2019d want \u2026 nothing at all.\u201d",
  names: "Maelle Varrick, Osric Penhallow and the Countess Ilyana Voskressenskaya met Captain Thorkelsson at Brackenmoor, near Llanfairwen, on the road from Karrowmere to Saint-Aubry.",
  dialect: "\"Tha' knows nowt o' th' moor, lad,\" quoth he. \"'Tis a fearsome place i' winter, an' them as goes out on it o' nights dunnot allus come whoam.\"",
  capitals: "NOTICE TO ALL TRAVELLERS\n\nTHE BRIDGE IS CLOSED UNTIL FURTHER NOTICE. WHOEVER CROSSES IT DOES SO AT HIS OWN RISK.\n\nBY ORDER OF THE MAGISTRATES",
  numbers: "On 14 March 1871 the mill sold 2,350 sacks at 7 shillings; by 1874 it sold 980, and in 1875 (see page 112) only 41.5 a week.",
  verse: "    The river took my father's boat,\n      The river took my ring,\n    And all it gave me in return\n      Was one more song to sing.\n\n        *       *       *       *       *\n",
  french: "Le bac n'\u00e9tait pas arriv\u00e9 \u00e0 la tomb\u00e9e de la nuit, et les gens qui attendaient sur la berge commen\u00e7aient \u00e0 parler de rentrer chez eux. La vieille s'assit sur son panier et dit que la rivi\u00e8re les porterait quand elle serait pr\u00eate.",
  german: "Die F\u00e4hre war bei Einbruch der Dunkelheit noch nicht gekommen, und die Leute am Ufer begannen davon zu reden, nach Hause zu gehen. Die Alte setzte sich auf ihren Korb und sagte, der Flu\u00df werde sie schon tragen.",
  russian: "\u041f\u0430\u0440\u043e\u043c \u043d\u0435 \u043f\u0440\u0438\u0448\u0451\u043b \u0434\u043e \u0442\u0435\u043c\u043d\u043e\u0442\u044b, \u0438 \u043b\u044e\u0434\u0438 \u043d\u0430 \u0431\u0435\u0440\u0435\u0433\u0443 \u0437\u0430\u0433\u043e\u0432\u043e\u0440\u0438\u043b\u0438 \u043e \u0442\u043e\u043c, \u0447\u0442\u043e\u0431\u044b \u0438\u0434\u0442\u0438 \u0434\u043e\u043c\u043e\u0439. \u0421\u0442\u0430\u0440\u0443\u0445\u0430 \u0441\u0435\u043b\u0430 \u043d\u0430 \u043a\u043e\u0440\u0437\u0438\u043d\u0443 \u0438 \u0441\u043a\u0430\u0437\u0430\u043b\u0430, \u0447\u0442\u043e \u0440\u0435\u043a\u0430 \u043f\u0435\u0440\u0435\u043d\u0435\u0441\u0451\u0442 \u0438\u0445.",
  chinese: "\u5929\u9ed1\u4e86\uff0c\u6e21\u8239\u8fd8\u6ca1\u6709\u6765\u3002\u5cb8\u4e0a\u7684\u4eba\u5f00\u59cb\u8bf4\u8981\u56de\u5bb6\u3002\u8001\u5987\u4eba\u5750\u5728\u7bee\u5b50\u4e0a\uff0c\u8bf4\u6cb3\u6c34\u51c6\u5907\u597d\u4e86\u5c31\u4f1a\u9001\u4ed6\u4eec\u8fc7\u53bb\u3002",
  japanese: "\u65e5\u304c\u66ae\u308c\u3066\u3082\u6e21\u3057\u8239\u306f\u6765\u306a\u304b\u3063\u305f\u3002\u5cb8\u306e\u4eba\u3005\u306f\u5bb6\u306b\u5e30\u308d\u3046\u3068\u8a00\u3044\u59cb\u3081\u305f\u3002",
};

const rows = Object.entries(SAMPLES).map(([name, text]) => ({
  name,
  text,
  o200k_base: o200k(text).length,
  cl100k_base: cl100k(text).length,
}));
const made = { by: "tests/oracle/tokens.mjs", with: "gpt-tokenizer 4.0.0", rows };
writeFileSync(new URL("../data/tokens.json", import.meta.url), `${JSON.stringify(made, null, 1)}\n`);
