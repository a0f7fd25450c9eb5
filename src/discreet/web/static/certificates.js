// Certificates, recomputed in whole numbers: what is hashed, and what the certifier compares.

const BILLION = 1000000000n;
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

function windowsOf(neighbours, size) {
  if (neighbours.kind === "graph") return neighbours.edges;
  const steps = Math.min(neighbours.kind === "within" ? neighbours.steps : size - 1, size - 1);
  if (steps < 1) return [];
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
  if (hashed !== certificate.mechanism) wrong.push("has another matrix");
  const facts = JSON.parse(told.facts);
  const [size, outputs] = [sizeOf(facts.answers), sizeOf(facts.outputs)];
  const cells = rows.map((row) => row.map(BigInt));
  if (cells.length !== outputs || cells.some((row) => row.length !== size || row.some((cell) => cell < 0n))) wrong.push("has a matrix of another shape");
  const sums = new Set(Array.from({ length: size }, (_, at) => cells.reduce((sum, row) => sum + row[at], 0n)));
  if (sums.size !== 1 || sums.has(0n)) wrong.push("has columns that are no distributions");
  const windows = windowsOf(facts.neighbours, size);
  if (size > 1 && !windows.length) wrong.push("compares no neighbours");
  if (cells.some((row) => breaksRatio(row, windows, fraction(certificate.ratio)))) wrong.push("breaks a ratio");
  return { wrong, matrices: 1, ratios: windows.length * outputs };
}

function words(numbers) {
  const bytes = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((one, at) => bytes.setBigInt64(8 * at, BigInt(one), true));
  return new Uint8Array(bytes.buffer);
}

// Rays: each rung is at most p/q times the next, and what they leave of the total keeps its ratios.
async function rays(told, certificate) {
  const wrong = [];
  const hashed = await sha256(told.facts, words(told.ladders.flat()), ...RAY_FIELDS.map((name) => words(told[name])));
  if (hashed !== certificate.mechanism) wrong.push("has other rays");
  const facts = JSON.parse(told.facts);
  const [size, outputs, total] = [sizeOf(facts.answers), sizeOf(facts.outputs), BigInt(facts.total)];
  const most = Math.max(1, size - 1);
  const steps = facts.neighbours.kind === "within" ? Math.min(facts.neighbours.steps, most) : most;
  const ladders = told.ladders.map((ladder) => ladder.map(BigInt));
  const [p, q] = fraction(certificate.ratio);
  const long = ladders.some((rungs) => rungs.some((high, at) => high < 0n || (at + 1 < rungs.length && (high * q > rungs[at + 1] * p || rungs[at + 1] * q > high * p))));
  if (long || facts.neighbours.kind === "graph") wrong.push("has too long a step from rung to rung");
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
  if (total <= 0n || spare.some((one) => one < 0n)) wrong.push("has columns that are no distributions");
  else if (breaksRatio(spare, windows, [p, q])) wrong.push("breaks a ratio");
  return { wrong, matrices: 1, ratios: windows.length + 2 * ladders.reduce((many, rungs) => many + rungs.length - 1, 0) };
}

function dot(form, moved) {
  return form.reduce((sum, [place, entry]) => sum + entry * (moved.get(place) ?? 0), 0);
}

// How far one row moves the answers by the gauge, not less than the truth; alternatives of one block.
function farthest(noise) {
  const rows = noise.row[0].map((row) => new Map(row));
  const reach = (sign) => rows.map((row) => noise.summands.reduce((sum, forms) => sum + Math.max(...forms.map((form) => sign * dot(form, row))), 0));
  const [coming, going] = [1, -1].map((sign) => Math.max(0, ...reach(sign)));
  if (noise.relation === "add-or-remove") return Math.max(coming, going);
  if (noise.summands.length > 1) return coming + going;
  return Math.max(...noise.summands[0].map((form) => {
    const moved = rows.map((row) => dot(form, row));
    const [low, high] = [Math.min(...moved), Math.max(...moved)];
    return Math.max(high - low, high, -low);
  }));
}

// Noise by a gauge: one person moves it by at most its width, and that many steps cost at most ε.
async function gauge(told, certificate) {
  const wrong = [];
  if ((await sha256(told.noise)) !== certificate.mechanism) wrong.push("has another noise");
  const noise = JSON.parse(told.noise);
  const [above, below] = fraction(noise.rate);
  const epsilon = amount(certificate.epsilon);
  if (epsilon === null || BigInt(noise.width) * above * BILLION > epsilon * below) wrong.push("has noise that costs more");
  const exact = !/\d{15}/.test(JSON.stringify([noise.summands, noise.row]));
  const known = exact && noise.row.length === 1 && !noise.different;
  if (known && !(noise.rows_per_unit >= 1 && noise.rows_per_unit * farthest(noise) <= noise.width)) wrong.push("has noise that one person moves farther");
  return { wrong, noises: known ? 1 : 0, left: known ? 0 : 1 };
}

// Everything about one certificate: what is wrong with it, and how much was compared.
export async function checkedCertificate(digest, told) {
  if ((await sha256(told.certificate)) !== digest) return { wrong: ["has another certificate"] };
  try { return await read(told); } catch { return { wrong: ["has a certificate that cannot be read"] }; }
}

async function read(told) {
  const certificate = JSON.parse(told.certificate);
  const found = await (told.noise ? gauge : told.weights ? matrix : rays)(told, certificate);
  if (certificate.delta !== "0") found.wrong.push("promises less");
  if (!isBelowExp(fraction(certificate.ratio), certificate.epsilon)) found.wrong.push("compares with more than e^ε");
  return { ...found, epsilon: certificate.epsilon };
}
