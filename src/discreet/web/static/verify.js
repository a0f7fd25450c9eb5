// Recompute a release's proof here: every hash, the chain, each answer and cost that the page tells, and
// the certificates of what it was drawn from.

import { amount, checkedCertificate, sha256 } from "./certificates.js";

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

// Whether a told result is what was drawn: exact numbers as text, words, counts of words.
function sameValue(told, drawn) {
  if (drawn === null) return told.value === null;
  if ("word" in drawn) return told.value === drawn.word;
  if ("counts" in drawn) return JSON.stringify(Object.entries(told.value)) === JSON.stringify(drawn.counts);
  return told.exact === (drawn.moment ?? drawn.whole ?? drawn.number);
}

async function checked() {
  const [proof, told, drawnFrom] = await Promise.all(["/proof.json", ".json", "/mechanisms.json"].map(async (end) => (await fetch(`/releases/${box.dataset.verify}${end}`)).json()));
  const wrong = [];
  let values = 0;
  let computed = 0;
  let before = proof.whole_ledger ? { seq: 0, hash: GENESIS } : null;
  for (const entry of proof.entries) {
    if ((await hashOf(entry)) !== entry.hash) wrong.push(`entry ${entry.seq} has another hash`);
    const follows = before && entry.seq === before.seq + 1;
    if (proof.whole_ledger && !follows) wrong.push(`entry ${entry.seq} does not follow`);
    if (follows && entry.previous !== before.hash) wrong.push(`entry ${entry.seq} follows another entry`);
    before = entry;
  }
  if (proof.head.hash !== box.dataset.head) wrong.push("the head is another");
  if (proof.whole_ledger && before.hash !== box.dataset.head) wrong.push("the last entry is not the head");
  for (const answer of told.answers) {
    const mine = proof.entries.filter((entry) => entry.question === answer.receipt);
    const charge = mine.find((entry) => entry.kind === "charge");
    const stored = mine.find((entry) => entry.kind === "answer");
    if (!charge || !stored) { wrong.push(`${answer.receipt} is not in the proof`); continue; }
    if (BigInt(charge.billionths) !== amount(answer.epsilon)) wrong.push(`${answer.receipt} cost another ε`);
    const drawn = JSON.parse(stored.body);
    if (drawn.plan !== answer.plan) wrong.push(`${answer.receipt} has another plan`);
    const known = new Map(drawn.results.map((one) => [JSON.stringify([one.label, one.group]), one]));
    for (const one of answer.results) {
      const found = known.get(JSON.stringify([one.statistic, one.group]));
      if (!found) { computed += 1; continue; }
      values += 1;
      if (!sameValue(one, found.value)) wrong.push(`${answer.receipt} has another value`);
      if (one.certificate !== found.certificate) wrong.push(`${answer.receipt} has another certificate`);
    }
  }
  const certificates = await checkedCertificates(told, drawnFrom.mechanisms, wrong);
  return { proof, told, wrong, values, computed, certificates };
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
      const [paid, promised] = [amount(answer.epsilon), amount(seen.get(digest).epsilon ?? "")];
      if (!answer.from && promised !== null && promised > paid) wrong.push(`${answer.receipt} has a certificate for more than it cost`);
    }
  }
  return done;
}

function certificateWords({ matrices, ratios, noises, left, without }) {
  const done = [];
  if (matrices) done.push(`${matrices === 1 ? "a matrix keeps" : `${matrices} matrices keep`} all ${ratios.toLocaleString("en")} ratios of e^ε that are asked of ${matrices === 1 ? "it" : "them"}, compared in whole numbers`);
  if (noises) done.push(`${noises === 1 ? "one noise hides" : `${noises} noises hide`} one person at the ε that is told`);
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
  checked().then(({ proof, told, wrong, values, computed, certificates }) => {
    if (wrong.length) return say("bad", "✗ This does not agree.", `${wrong.slice(0, 5).join("; ")}.`);
    const chain = proof.whole_ledger
      ? `All ${proof.entries.length} entries follow one another, from the first to the head.`
      : "The chain between them and the head is checked by whoever holds the ledger, with the command below.";
    say("good", "✓ Recomputed in your browser.", `${proof.entries.length} hashes; the costs of ${told.answers.length} answers and all ${values} drawn values with their certificates are as the ledger has them. ${computed ? `${computed} more are computed from drawn values. ` : ""}${chain}${certificateWords(certificates)}`);
  }, () => say("bad", "The proof could not be fetched.", "Reload, or use the commands below."));
}
