// Recompute a release's proof here: every hash, the chain, each answer and cost on the page, and
// the certificates of what it was drawn from.

import { amount, checkedCertificate, promisesMore, sha256 } from "./certificates.js";

const box = document.querySelector("[data-verify]");
const result = box.querySelector("[data-result]");
const GENESIS = "0".repeat(64);

// A text as JSON of ASCII alone, as the ledger hashes it.
function quoted(text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function hashOf(entry) {
  const told = `[${entry.seq}, ${quoted(entry.at)}, ${quoted(entry.kind)}, ${quoted(entry.analyst)}, ${quoted(entry.question)}, ${entry.billionths}, ${quoted(entry.body)}, ${quoted(entry.previous)}]`;
  return sha256(told);
}

// Whether a number on the page is the exact one: a text, such as 501/10, or a date.
function isExactly(told, text) {
  if (told === text) return true;
  const [above, below = 1] = text.split("/").map(Number);
  return typeof told === "number" && Math.abs(told - above / below) <= 1e-12 * Math.abs(told);
}

// Whether a result on the page is what was drawn: exact numbers as text, words, counts of words.
function sameValue(told, drawn) {
  if (drawn === null) return told.value === null;
  if ("word" in drawn) return told.value === drawn.word;
  if ("counts" in drawn) {  // by word: an object keeps words that are numbers in an order of its own
    return Object.keys(told.value).length === drawn.counts.length
      && drawn.counts.every(([word, many]) => Object.hasOwn(told.value, word) && told.value[word] === many);
  }
  const text = drawn.moment ?? drawn.whole ?? drawn.number;
  return told.exact === text && isExactly(told.value, text);
}

// Whether its interval is the stored one, under the name that says when it holds.
function sameInterval(told, drawn) {
  const [name, other] = drawn.supposed ? ["interval_if_prior_holds", "interval"] : ["interval", "interval_if_prior_holds"];
  if (told[other] !== null || !drawn.interval) return told[other] === null && told[name] === null;
  return JSON.stringify(told[`exact_${name}`]) === JSON.stringify(drawn.interval)
    && drawn.interval.every((end, place) => isExactly(told[name][place], end));
}

async function checked() {
  const [proof, told, drawnFrom] = await Promise.all(["/proof.json", ".json", "/mechanisms.json"].map(async (end) => (await fetch(`/releases/${box.dataset.verify}${end}`)).json()));
  const wrong = [];
  let values = 0;
  let notCompared = 0;
  let before = proof.whole_ledger ? { seq: 0, hash: GENESIS } : null;
  for (const entry of proof.entries) {
    if ((await hashOf(entry)) !== entry.hash) wrong.push(`entry ${entry.seq} has a different hash`);
    const follows = before && entry.seq === before.seq + 1;
    if (proof.whole_ledger && !follows) wrong.push(`entry ${entry.seq} does not follow`);
    if (follows && entry.previous !== before.hash) wrong.push(`entry ${entry.seq} follows a different entry`);
    before = entry;
  }
  if (proof.head.hash !== box.dataset.head) wrong.push("the head is different");
  if (proof.whole_ledger && before.hash !== box.dataset.head) wrong.push("the last entry is not the head");
  for (const answer of told.answers) {
    const mine = proof.entries.filter((entry) => entry.question === answer.receipt);
    const charge = mine.find((entry) => entry.kind === "charge");
    const stored = mine.find((entry) => entry.kind === "answer");
    if (!charge || !stored) { wrong.push(`${answer.receipt} is not in the proof`); continue; }
    if (BigInt(charge.billionths) !== amount(answer.epsilon)) wrong.push(`${answer.receipt} cost a different ε`);
    const drawn = JSON.parse(stored.body);
    if (drawn.plan !== answer.plan) wrong.push(`${answer.receipt} has a different plan`);
    // A charge says so where its answer shows values that are computed from drawn ones: only those are not compared.
    const isComputed = "shown" in JSON.parse(charge.body);
    // What all results have in common is written once, beside them.
    const results = drawn.results.map((one) => ({ ...drawn.alike, ...one }));
    const known = new Map(results.map((one) => [JSON.stringify([one.label, one.group]), one]));
    for (const one of answer.results) {
      const found = known.get(JSON.stringify([one.statistic, one.group]));
      if (!found && isComputed) { notCompared += 1; continue; }
      if (!found) { wrong.push(`${answer.receipt} has a value that was not drawn`); continue; }
      values += 1;
      if (!sameValue(one, found.value)) wrong.push(`${answer.receipt} has a different value`);
      if (!sameInterval(one, found)) wrong.push(`${answer.receipt} has a different interval`);
      if (one.certificate !== found.certificate) wrong.push(`${answer.receipt} has a different certificate`);
    }
  }
  const certificates = await checkedCertificates(told, drawnFrom.mechanisms, wrong);
  return { proof, told, wrong, values, notCompared, certificates };
}

// Every certificate that answers name: recomputed from its integers, or left to the command.
async function checkedCertificates(told, known, wrong) {
  const [seen, done] = [new Map(), { matrices: 0, ratios: 0, noises: 0, left: 0, without: 0 }];
  for (const answer of told.answers) {
    if (!answer.results.some((one) => one.certificate)) done.without += 1;
    for (const digest of new Set(answer.results.map((one) => one.certificate).filter(Boolean))) {
      if (!(digest in known)) { done.left += seen.has(digest) ? 0 : 1; seen.set(digest, null); continue; }
      if (!seen.has(digest)) {
        const found = await checkedCertificate(digest, known[digest]);
        wrong.push(...found.wrong.map((one) => `${answer.receipt} ${one}`));
        for (const kind of ["matrices", "ratios", "noises", "left"]) done[kind] += found[kind] ?? 0;
        seen.set(digest, found);
      }
      const [served, promised] = [answer.from && amount(answer.epsilon) === 0n, seen.get(digest).epsilon];
      if (!served && promised && promisesMore(promised, answer.epsilon)) wrong.push(`${answer.receipt} has a certificate for more than it cost`);
    }
  }
  return done;
}

function certificateWords({ matrices, ratios, noises, left, without }) {
  const done = [];
  if (matrices) done.push(`${matrices === 1 ? "a matrix keeps" : `${matrices} matrices keep`} all ${ratios.toLocaleString("en")} ratios of e^ε that are asked of ${matrices === 1 ? "it" : "them"}, compared in whole numbers`);
  if (noises) done.push(`${noises === 1 ? "one noise hides" : `${noises} noises hide`} one person at the stated ε`);
  const plain = without ? ` ${without === 1 ? "One answer comes from a sampler that has" : `${without} answers come from samplers that have`} a written proof in place of a certificate.` : "";
  const rest = plain + (left ? ` ${left === 1 ? "One certificate is" : `${left} certificates are`} left to the commands below.` : "");
  return done.length ? ` Certificates: ${done.join("; ")}.${rest}` : rest;
}

function say(kind, strong, rest) {
  const line = document.createElement("p");
  line.className = `say ${kind}`;
  const first = document.createElement("strong");
  first.textContent = strong;
  line.append(first, ` ${rest}`);
  result.replaceChildren(line);
  result.hidden = false;
}

if (!crypto.subtle) {
  say("warn", "This browser cannot compute hashes here.", "That needs https: use the commands below.");
} else {
  checked().then(({ proof, told, wrong, values, notCompared, certificates }) => {
    if (wrong.length) return say("bad", "✗ This does not agree.", `${wrong.slice(0, 5).join("; ")}.`);
    const chain = proof.whole_ledger
      ? `All ${proof.entries.length} entries follow one another, from the first to the head.`
      : "Anyone with the ledger can check the chain between them and the head, with the command below.";
    say("good", "✓ Recomputed in your browser.", `${proof.entries.length} hashes; the costs of ${told.answers.length} answers and all ${values} drawn values with their intervals and certificates match the ledger. ${notCompared ? `${notCompared === 1 ? "One value that is" : `${notCompared} values that are`} computed from drawn ones ${notCompared === 1 ? "was" : "were"} not compared here; with the ledger, the command below compares them. ` : ""}${chain}${certificateWords(certificates)}`);
  }, () => say("bad", "The proof could not be fetched.", "Reload, or use the commands below."));
}
