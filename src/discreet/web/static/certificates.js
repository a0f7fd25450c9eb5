// Certificates, recomputed in whole numbers: what is hashed, and what the certifier compares.

const BILLION = 1000000000n;
const MOST_COORDINATES = 400;
const RAY_FIELDS = ["first", "length", "count", "ladder", "output", "stride"];

export async function sha256(...parts) {
  const bytes = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const all = new Uint8Array(bytes.reduce((sum, part) => sum + part.length, 0));
  bytes.reduce((at, part) => { all.set(part, at); return at + part.length; }, 0);
  const digest = await crypto.subtle.digest("SHA-256", all);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// An amount of ε in billionths; null for a logarithm, which has no such number.
export function amount(text) {
  if (!/^\d+(\.\d{1,9})?$/.test(text)) return null;
  const [whole, part = ""] = text.split(".");
  return BigInt(whole) * BILLION + BigInt(part.padEnd(9, "0"));
}

// A fraction above 0; with signs, comparisons would turn around.
function fraction(text) {
  if (!/^\d+(\/0*[1-9]\d*)?$/.test(text)) throw new RangeError("no fraction");
  const [above, below = "1"] = text.split("/");
  return [BigInt(above), BigInt(below)];
}

// Whether p/q ≤ e^ε: some terms of the series, all above 0, already reach p/q.
function isBelowExp([p, q], epsilon) {
  const log = /^log (.+)$/.exec(epsilon);
  if (log) { const [a, b] = fraction(log[1]); return p * b <= a * q; }
  const x = amount(epsilon);
  let [sum, below, power] = [1n, 1n, 1n];
  for (let k = 1n; k <= 2000n; k += 1n) {
    if (p * below <= q * sum) return true;
    power *= x;
    sum = sum * BILLION * k + power;
    below *= BILLION * k;
  }
  return false;
}

function sizeOf(space) {
  return space.size ?? (space.numbers ?? space.names).length;
}

// How far neighbours lie apart at most; with less than one step nothing would be compared.
function stepsOf(neighbours, size) {
  if (neighbours.kind === "all-pairs") return Math.max(1, size - 1);
  if (neighbours.kind !== "within" || !Number.isSafeInteger(neighbours.steps) || neighbours.steps < 1) throw new RangeError("no neighbours");
  return Math.min(neighbours.steps, Math.max(1, size - 1));
}

// Pairs of different answers that join all of them: with fewer, some would be neighbours of none.
function edgesOf(neighbours, size) {
  const joined = Array.from({ length: size }, (_, at) => at);
  const end = (at) => { let one = at; while (joined[one] !== one) one = joined[one]; return one; };
  for (const edge of neighbours.edges) {
    const [one, other] = edge;
    if (edge.length !== 2 || one === other || edge.some((at) => !Number.isInteger(at) || at < 0 || at >= size)) throw new RangeError("no neighbours");
    joined[end(other)] = end(one);
  }
  if (joined.some((_, at) => end(at) !== end(0))) throw new RangeError("too few neighbours");
  return neighbours.edges;
}

function windowsOf(neighbours, size) {
  if (neighbours.kind === "graph") return edgesOf(neighbours, size);
  const steps = stepsOf(neighbours, size);
  if (size < 2) return [];
  return Array.from({ length: size - steps }, (_, at) => Array.from({ length: steps + 1 }, (_, one) => at + one));
}

// R.1 of one row: in every window of neighbours the largest is at most p/q times the smallest.
function breaksRatio(row, windows, [p, q]) {
  return windows.some((window) => {
    let [most, least] = [row[window[0]], row[window[0]]];
    for (const at of window) {
      if (row[at] > most) most = row[at];
      if (row[at] < least) least = row[at];
    }
    return most * q > least * p;
  });
}

async function matrix(told, certificate) {
  const rows = told.weights;
  const wrong = [];
  const hashed = await sha256(told.facts, ...rows.map((row) => `${row.join(" ")}\n`));
  if (hashed !== certificate.mechanism) wrong.push("has a different matrix");
  const facts = JSON.parse(told.facts);
  const [size, outputs] = [sizeOf(facts.answers), sizeOf(facts.outputs)];
  const cells = rows.map((row) => row.map(BigInt));
  if (cells.length !== outputs || cells.some((row) => row.length !== size || row.some((cell) => cell < 0n))) wrong.push("has a matrix of the wrong shape");
  const sums = new Set(Array.from({ length: size }, (_, at) => cells.reduce((sum, row) => sum + row[at], 0n)));
  if (sums.size !== 1 || sums.has(0n)) wrong.push("has columns that are not distributions");
  const windows = windowsOf(facts.neighbours, size);
  if (cells.some((row) => breaksRatio(row, windows, fraction(certificate.ratio)))) wrong.push("breaks a ratio");
  return { wrong, matrices: 1, ratios: windows.length * outputs };
}

// Numbers as they are hashed; one that does not fit is hashed as another.
function words(numbers) {
  const bytes = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((one, at) => {
    if (BigInt.asIntN(64, BigInt(one)) !== BigInt(one)) throw new RangeError("too large");
    bytes.setBigInt64(8 * at, BigInt(one), true);
  });
  return new Uint8Array(bytes.buffer);
}

// Rays: each rung is at most p/q times the next, and what they leave of the total keeps its ratios.
async function rays(told, certificate) {
  const wrong = [];
  const hashed = await sha256(told.facts, words(told.ladders.flat()), ...RAY_FIELDS.map((name) => words(told[name])));
  if (hashed !== certificate.mechanism) wrong.push("has different rays");
  const facts = JSON.parse(told.facts);
  const [size, outputs, total] = [sizeOf(facts.answers), sizeOf(facts.outputs), BigInt(facts.total)];
  const steps = stepsOf(facts.neighbours, size);
  if (RAY_FIELDS.some((name) => told[name].length !== told.first.length || !told[name].every(Number.isSafeInteger))) throw new RangeError("no rays");
  const ladders = told.ladders.map((ladder) => ladder.map(BigInt));
  const [p, q] = fraction(certificate.ratio);
  const long = ladders.some((rungs) => rungs.some((high, at) => high < 0n || (at + 1 < rungs.length && (high * q > rungs[at + 1] * p || rungs[at + 1] * q > high * p))));
  if (long) wrong.push("has too long a step from rung to rung");
  const changes = Array.from({ length: size + 1 }, () => 0n);
  let tails = 0n;
  told.first.forEach((first, block) => {
    const [length, count, rungs] = [told.length[block], told.count[block], ladders[told.ladder[block]]];
    const last = told.output[block] + (count - 1) * told.stride[block];
    if (!rungs || first < 0 || length < 1 || count < 1 || told.stride[block] < 0 || first + length + count - 1 > size || told.output[block] < 0 || last >= outputs) { wrong.push("has rays that leave the line"); return; }
    for (let one = 0; one < count; one += 1) {
      tails += rungs[rungs.length - 1];
      for (let at = 0; at + 1 < rungs.length; at += 1) {
        const fall = rungs[at] - rungs[at + 1];
        changes[Math.max(0, first + one - at * steps)] += fall;
        changes[Math.min(size, first + one + length + at * steps)] -= fall;
      }
    }
  });
  let sum = tails;
  const spare = changes.slice(0, size).map((change) => { sum += change; return total - sum; });
  const windows = windowsOf({ kind: "within", steps }, size);
  if (total <= 0n || spare.some((one) => one < 0n)) wrong.push("has columns that are not distributions");
  else if (breaksRatio(spare, windows, [p, q])) wrong.push("breaks a ratio");
  return { wrong, matrices: 1, ratios: windows.length + 2 * ladders.reduce((many, rungs) => many + rungs.length - 1, 0) };
}

function dot(form, moved) {
  return form.reduce((sum, [place, entry]) => sum + BigInt(entry) * (moved.get(place) ?? 0n), 0n);
}

function largest(numbers) {
  return numbers.reduce((most, one) => (one > most ? one : most));
}

// Whether what one row does keeps every equation that noise keeps: else it would be told as it is.
function keepsEquations(noise) {
  const rows = noise.row[0].map((row) => new Map(row.map(([place, entry]) => [place, BigInt(entry)])));
  return noise.equations.every((equation) => {
    const added = new Set(rows.map((row) => dot(equation, row)));
    return added.size === 1 && (noise.relation === "change" || added.has(0n));
  });
}

// How far one row moves the answers by the gauge, not less than the truth; alternatives of one block.
function farthest(noise) {
  const rows = noise.row[0].map((row) => new Map(row.map(([place, entry]) => [place, BigInt(entry)])));
  const reach = (sign) => rows.map((row) => noise.summands.reduce((sum, forms) => sum + largest(forms.map((form) => sign * dot(form, row))), 0n));
  const [coming, going] = [1n, -1n].map((sign) => largest([0n, ...reach(sign)]));
  if (noise.relation === "add-or-remove") return largest([coming, going]);
  if (noise.summands.length > 1) return coming + going;
  return largest(noise.summands[0].map((form) => {
    const moved = rows.map((row) => dot(form, row));
    const [high, low] = [largest(moved), -largest(moved.map((one) => -one))];
    return largest([high - low, high, -low]);
  }));
}

// The rank of forms, in whole numbers; what a form tells by itself is left out first.
function rank(forms) {
  const single = new Set(forms.filter((form) => form.length === 1).map(([[place]]) => place));
  const left = new Set(forms.map((form) => JSON.stringify(form.filter(([place]) => !single.has(place)))));
  const done = new Map();
  for (const text of left) {
    let row = new Map(JSON.parse(text).map(([place, entry]) => [place, BigInt(entry)]));
    for (const [pivot, other] of done) {
      if (!row.has(pivot)) continue;
      const [times, by] = [other.get(pivot), row.get(pivot)];
      const places = new Set([...row.keys(), ...other.keys()]);
      const entries = [...places].map((place) => [place, times * (row.get(place) ?? 0n) - by * (other.get(place) ?? 0n)]);
      row = new Map(entries.filter(([, entry]) => entry !== 0n));
    }
    if (row.size) done.set(row.keys().next().value, row);
  }
  return single.size + done.size;
}

// Whether forms are whole, of coordinates that are there, each once; and no summand is ever below 0.
function areForms(noise) {
  const isForm = (form) => new Set(form.map(([place]) => place)).size === form.length
    && form.every((pair) => pair.length === 2 && pair.every(Number.isSafeInteger) && pair[1] !== 0 && pair[0] >= 0 && pair[0] < noise.dimension);
  if (![...noise.summands.flat(), ...noise.equations, ...noise.row.flat()].every(isForm)) return false;
  const told = (form, sign) => JSON.stringify(form.map(([place, entry]) => [place, sign * entry]).sort(([one], [other]) => one - other));
  return noise.summands.length > 0 && noise.row.length > 0 && noise.row.every((block) => block.length) && noise.summands.every((forms) => {
    const known = new Set(forms.map((form) => told(form, 1)));
    return known.has("[]") || forms.some((form) => known.has(told(form, -1)));
  });
}

function gcd(one, other) {
  return other ? gcd(other, one % other) : Math.abs(one);
}

// Whether the gauge notices every noise: its forms add up to nothing, and tell every coordinate.
function noticesAll(noise) {
  const every = noise.summands.flat();
  const plain = every.map((form) => { const by = form.reduce((common, [, entry]) => gcd(common, entry), 0); return form.map(([place, entry]) => [place, entry / by]); });
  const cancel = [every, plain].some((forms) => {
    const sums = new Map();
    for (const [place, entry] of forms.flat()) sums.set(place, (sums.get(place) ?? 0n) + BigInt(entry));
    const left = [...sums].filter(([, entry]) => entry !== 0n).map(([place, entry]) => [place, String(entry)]);
    return !left.length || rank([...noise.equations, left]) === rank(noise.equations);
  });
  return cancel && rank([...every, ...noise.equations]) === noise.dimension;
}

// Noise by a gauge: one person moves it by at most its width, and that many steps cost at most ε.
async function gauge(told, certificate) {
  const wrong = [];
  if ((await sha256(told.noise)) !== certificate.mechanism) wrong.push("has a different noise");
  const noise = JSON.parse(told.noise);
  const [above, below] = fraction(noise.rate);
  const epsilon = amount(certificate.epsilon);
  if (epsilon === null || BigInt(noise.width) * above * BILLION > epsilon * below) wrong.push("has noise that costs more");
  if (above <= 0n || noise.width <= 0 || !areForms(noise)) { wrong.push("has noise by no gauge"); return { wrong }; }
  const few = noise.dimension <= MOST_COORDINATES;
  const known = few && noise.row.length === 1 && !noise.different;
  if (few && !noticesAll(noise)) wrong.push("has noise by no gauge");
  if (known && !keepsEquations(noise)) wrong.push("has noise that tells what one row adds");
  if (known && !(noise.rows_per_unit >= 1 && BigInt(noise.rows_per_unit) * farthest(noise) <= BigInt(noise.width))) wrong.push("has noise that one person moves farther");
  return { wrong, noises: known ? 1 : 0, left: known ? 0 : 1 };
}

// Whether a certificate promises more than was paid; a logarithm is compared by its series.
export function promisesMore(promised, paid) {
  const log = /^log (.+)$/.exec(promised);
  if (log) return !isBelowExp(fraction(log[1]), paid);
  return amount(promised) > amount(paid);
}

// Everything about one certificate: what is wrong with it, and how much was compared.
export async function checkedCertificate(digest, told) {
  if ((await sha256(told.certificate)) !== digest) return { wrong: ["has a different certificate"] };
  try { return await read(told); } catch { return { wrong: ["has a certificate that cannot be read"] }; }
}

async function read(told) {
  const certificate = JSON.parse(told.certificate);
  const found = await (told.noise ? gauge : told.weights ? matrix : rays)(told, certificate);
  if (certificate.delta !== "0") found.wrong.push("promises less");
  if (!isBelowExp(fraction(certificate.ratio), certificate.epsilon)) found.wrong.push("compares with more than e^ε");
  return { ...found, epsilon: certificate.epsilon };
}
