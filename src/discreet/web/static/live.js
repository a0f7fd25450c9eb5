// Fetch a piece of a page and put it where it belongs, keeping the keyboard where it was.

export async function fetchPiece(url, signal) {
  const reply = await fetch(url, { signal, headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (reply.redirected && new URL(reply.url).pathname === "/sign-in") location.reload();
  const text = await reply.text();
  return new DOMParser().parseFromString(text, "text/html");
}

export function swap(from, id) {
  const fresh = from.getElementById(id);
  const old = document.getElementById(id);
  if (!fresh || !old) return null;
  const focused = document.activeElement;
  const name = old.contains(focused) ? focused.id : "";
  const open = [...old.querySelectorAll("details")].map((one) => one.open);
  old.replaceWith(document.adoptNode(fresh));
  const here = document.getElementById(id);
  [...here.querySelectorAll("details")].forEach((one, place) => { one.open = open[place] ?? one.open; });
  if (name) document.getElementById(name)?.focus({ preventScroll: true });
  return here;
}

// Tell those who cannot see it what has changed: the promise, or what is wrong.
export function announce(piece) {
  const slip = document.getElementById("slip");
  const pieces = slip ? [slip, piece] : [piece];
  const told = pieces.flatMap((one) => [...one.querySelectorAll(".promise, .say, .say-next")]).map((one) => one.textContent.trim());
  document.querySelector("[data-said]").textContent = told.join(" ");
}

export function debounced(task, milliseconds) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...given), milliseconds);
  };
}
