// Copy buttons appear only where copying works.

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) {
    button.remove();
    continue;
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    const told = document.getElementById(button.dataset.copy).textContent;
    const before = button.innerHTML;
    try {
      await navigator.clipboard.writeText(told);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
    setTimeout(() => { button.innerHTML = before; }, 1800);
  });
}
