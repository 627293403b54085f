// Paper has no folds: open them for printing, and open the one that a link leads into.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    fold.dataset.folded = "";
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-folded]")) {
    fold.open = false;
    delete fold.dataset.folded;
  }
});
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

// The contents show where the reader is: the last section whose head has passed the upper third.
const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [link.hash.slice(1), link]));
const sections = [...document.querySelectorAll("main > section")];
let asked = false;
function mark() {
  asked = false;
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const passed = sections.filter((one) => one.getBoundingClientRect().top < Math.min(innerHeight / 3, 240));
  const here = (atEnd && scrollY > 0 ? sections : passed).at(-1);
  for (const [id, link] of links) id === here?.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
}
if (links.size) {
  addEventListener("scroll", () => { if (!asked) { asked = true; requestAnimationFrame(mark); } }, { passive: true });
  addEventListener("resize", mark);
  mark();
}
